import { isWord, type Tokens } from "./tokens.ts";

/** What a linear model adds up: weights by place, each times a value. */
export interface Features {
  readonly places: Int32Array;
  readonly values: Float32Array;
}

/** Places that features are hashed to, a power of two. Training and judging must agree on it. */
export const PLACES = 1 << 20;
const SHORTEST = 2;
const LONGEST = 5;

/** Each kind has a seed of its own, and a weight that all its features of a text share. */
const KINDS = {
  words: { seed: 11, weight: 1 },
  pairs: { seed: 13, weight: 0.7 },
  letters: { seed: 17, weight: 1 },
  shape: { seed: 15, weight: 0.5 },
} as const;

/** Words, pairs of words, runs of 2 to 5 letters, and what is seen without reading. */
export function featuresOf({ tokens, negated, shape }: Tokens): Features {
  const words = new Set<number>();
  const pairs = new Set<number>();
  const letters = new Set<number>();
  let before = "^";
  for (const [index, token] of tokens.entries()) {
    words.add(hashOf(KINDS.words.seed, token));
    if (negated[index] === true) words.add(hashOf(KINDS.words.seed, `not ${token}`));
    pairs.add(hashOf(KINDS.pairs.seed, `${before} ${token}`));
    before = token;
    if (isWord(token)) addRuns(letters, ` ${token} `);
  }
  pairs.add(hashOf(KINDS.pairs.seed, `${before} $`));
  const shapes = new Set(Array.from(shape, (one) => hashOf(KINDS.shape.seed, one)));
  return joined([
    [words, KINDS.words.weight],
    [pairs, KINDS.pairs.weight],
    [letters, KINDS.letters.weight],
    [shapes, KINDS.shape.weight],
  ]);
}

function addRuns(letters: Set<number>, word: string): void {
  for (let from = 0; from < word.length; from++) {
    let hash: number = KINDS.letters.seed;
    const end = Math.min(word.length, from + LONGEST);
    for (let at = from; at < end; at++) {
      hash = Math.imul(hash ^ word.charCodeAt(at), PRIME);
      if (at - from + 1 >= SHORTEST) letters.add(mixed(hash));
    }
  }
}

/** A long text says more than a short one, but not as many times more as it is longer: hence the root. */
function joined(kinds: readonly (readonly [places: ReadonlySet<number>, weight: number])[]): Features {
  const size = kinds.reduce((sum, [places]) => sum + places.size, 0);
  const places = new Int32Array(size);
  const values = new Float32Array(size);
  let at = 0;
  for (const [own, weight] of kinds) {
    values.fill(weight / Math.sqrt(own.size), at, at + own.size);
    for (const place of own) places[at++] = place;
  }
  return { places, values };
}

/** FNV-1a over UTF-16. */
const PRIME = 0x01000193;

function hashOf(seed: number, text: string): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return mixed(hash);
}

function mixed(hash: number): number {
  let bits = hash ^ (hash >>> 15);
  bits = Math.imul(bits, 0x2c1b3c6d);
  bits ^= bits >>> 12;
  return bits & (PLACES - 1);
}
