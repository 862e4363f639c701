/**
 * A sketch of a text, to find texts that are nearly the same: one-permutation MinHash. Every run of GRAM characters is
 * hashed once and falls into one of BINS bins; each bin keeps one byte of its lowest hash. The share of equal bins
 * estimates the Jaccard similarity of the two sets of runs, ± 0.09. O(length of the text); depends on the text only.
 */
export const BINS = 32;

export function sketchOf(essence: string): Uint8Array {
  lowest.fill(EMPTY);
  let hash = 0;
  for (let i = 0; i < essence.length; i++) {
    hash = (Math.imul(hash, BASE) + essence.charCodeAt(i)) | 0;
    if (i >= GRAM) hash = (hash - Math.imul(essence.charCodeAt(i - GRAM), BASE_TO_GRAM)) | 0;
    if (i < GRAM - 1) continue;
    const mixed = mix(hash);
    const bin = mixed >>> 27;
    const value = mixed & VALUE;
    if (value < (lowest[bin] ?? EMPTY)) lowest[bin] = value;
  }
  const sketch = new Uint8Array(BINS);
  for (let bin = 0; bin < BINS; bin++) sketch[bin] = mix(lowest[filled(bin)] ?? 0) & 0xff;
  return sketch;
}

/** How many bins of two sketches are equal. */
export function agreement(a: Uint8Array, b: Uint8Array): number {
  let equal = 0;
  for (let bin = 0; bin < BINS; bin++) if (a[bin] === b[bin]) equal++;
  return equal;
}

const GRAM = 5;
const BASE = 0x01000193;
const BASE_TO_GRAM = powerOf(BASE, GRAM);
const VALUE = 0x07ffffff;
const EMPTY = 0x7fffffff;
const lowest = new Int32Array(BINS);

/** A short text leaves bins empty: an empty bin copies another one, always the same for the same bins. */
function filled(bin: number): number {
  for (let tries = 0; tries < BINS; tries++) {
    const other = tries === 0 ? bin : mix(bin * BINS + tries) >>> 27;
    if (lowest[other] !== EMPTY) return other;
  }
  return lowest.findIndex((value) => value !== EMPTY);
}

function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function powerOf(base: number, exponent: number): number {
  let power = 1;
  for (let i = 0; i < exponent; i++) power = Math.imul(power, base);
  return power;
}
