/**
 * A sketch of a text, to find texts that are nearly the same: one-permutation MinHash. Every run of GRAM characters is
 * hashed once and falls into one of BINS bins; each bin keeps one byte of its lowest hash. The share of equal bins
 * estimates the Jaccard similarity of the two sets of runs, ± 0.09. O(length of the text); depends on the text only.
 */
export const BINS = 32;

export function sketchOf(essence: string): Uint8Array {
  lowest.fill(EMPTY);
  let hash = 0;
  for (let i = 0; i < GRAM - 1; i++) hash = (Math.imul(hash, BASE) + essence.charCodeAt(i)) | 0;
  // Before the first run of characters there is none to leave out.
  let left = 0;
  for (let i = GRAM - 1; i < essence.length; i++) {
    hash = (Math.imul(hash, BASE) + essence.charCodeAt(i) - Math.imul(left, BASE_TO_GRAM)) | 0;
    left = essence.charCodeAt(i - (GRAM - 1));
    const mixed = mix(hash);
    const bin = mixed >>> 27;
    const value = mixed & VALUE;
    if (value < (lowest[bin] as number)) lowest[bin] = value;
  }
  const sketch = new Uint8Array(BINS);
  for (let bin = 0; bin < BINS; bin++) {
    const value = lowest[bin] as number;
    sketch[bin] = mix(value === EMPTY ? (lowest[filled(bin)] ?? 0) : value);
  }
  return sketch;
}

/** A packed sketch has four bins in each word: so many are compared at once. */
export const WORDS = BINS / 4;

/** Writes a sketch to the words of `place` in a list of packed ones. */
export function packSketch(sketch: Uint8Array, packed: Int32Array, place: number): void {
  for (let word = 0; word < WORDS; word++) {
    const bin = 4 * word;
    packed[WORDS * place + word] =
      ((sketch[bin] ?? 0) << 24) |
      ((sketch[bin + 1] ?? 0) << 16) |
      ((sketch[bin + 2] ?? 0) << 8) |
      (sketch[bin + 3] ?? 0);
  }
}

/** How many bins of two packed sketches are equal. */
export function agreement(a: Int32Array, placeOfA: number, b: Int32Array, placeOfB: number): number {
  let equal = 0;
  for (let word = 0; word < WORDS; word++) {
    const different = (a[WORDS * placeOfA + word] ?? 0) ^ (b[WORDS * placeOfB + word] ?? 0);
    // The highest bit of each byte that is zero, and of no other; then their number.
    const zeros = ~(((different & 0x7f7f7f7f) + 0x7f7f7f7f) | different | 0x7f7f7f7f);
    equal += Math.imul(zeros >>> 7, 0x01010101) >>> 24;
  }
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
  for (let tries = 1; tries < BINS; tries++) {
    const other = mix(bin * BINS + tries) >>> 27;
    if (lowest[other] !== EMPTY) return other;
  }
  return lowest.findIndex((value) => value !== EMPTY);
}

/** 32 bits, signed: an unsigned number would not fit into a register as an integer. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function powerOf(base: number, exponent: number): number {
  let power = 1;
  for (let i = 0; i < exponent; i++) power = Math.imul(power, base);
  return power;
}
