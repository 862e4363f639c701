import { packFile, unpackFile } from "../packed-file.ts";

/** Numbers of a word. */
export const SIZE = 64;

/** Words and what they mean, the frequent ones first. */
export interface WordVectors {
  readonly words: readonly string[];
  /** `SIZE` numbers of each word, in their order. All vectors have the same length. */
  readonly numbers: Int8Array;
}

export function encodeVectors({ words, numbers }: WordVectors): Buffer {
  return packFile(words.join("\n"), numbers);
}

/** Throws if the file has not `SIZE` numbers of each word. */
export function decodeVectors(file: Buffer): WordVectors {
  const { text, numbers } = unpackFile(file);
  const words = text.split("\n");
  if (numbers.length !== words.length * SIZE)
    throw new Error(`The word vectors have ${numbers.length} numbers, and ${words.length * SIZE} are needed`);
  return { words, numbers };
}
