import { SIZE, type WordVectors } from "./vectors-file.ts";

export interface Meanings {
  /** What a text is about: the mean of the meanings of its words, of length 1. Of no known word, or of none left: zeros. */
  ofText(words: readonly string[], isLeftOut: (word: string) => boolean): Float64Array;
  /** How much one word adds to that mean, before it gets its length; null: it is not known. */
  ofWord(word: string): Float64Array | null;
}

/** A word of this rank counts half: "the" counts nearly nothing, and a seldom word counts whole. */
const HALF_RANK = 1_000;

export function createMeanings({ words, numbers }: WordVectors): Meanings {
  const ranks = new Map(words.map((word, rank) => [word, rank]));
  const ofWord = (word: string): Float64Array | null => {
    const rank = ranks.get(word.toLowerCase());
    if (rank === undefined) return null;
    const share = (rank + 10) / (rank + HALF_RANK);
    return Float64Array.from(numbers.subarray(rank * SIZE, (rank + 1) * SIZE), (number) => number * share);
  };
  return {
    ofWord,
    ofText(all, isLeftOut) {
      const sum = new Float64Array(SIZE);
      for (const word of all) {
        if (isLeftOut(word)) continue;
        for (const [place, number] of (ofWord(word) ?? []).entries()) sum[place] = (sum[place] ?? 0) + number;
      }
      const length = Math.hypot(...sum) || 1;
      return sum.map((number) => number / length);
    },
  };
}
