import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** Numbers of a word. */
export const SIZE = 64;

/** Words and what they mean, the frequent ones first. */
export interface WordVectors {
  readonly words: readonly string[];
  /** `SIZE` numbers of each word, in their order. All vectors have the same length. */
  readonly numbers: Int8Array;
}

/** The words with their length in front, then the numbers, all of it compressed. */
export function encodeVectors({ words, numbers }: WordVectors): Buffer {
  const text = Buffer.from(words.join("\n"));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const raw = Buffer.concat([length, text, Buffer.from(numbers.buffer, numbers.byteOffset, numbers.length)]);
  return brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_LGWIN]: 22 } });
}

/** Throws if the file has not `SIZE` numbers of each word. */
export function decodeVectors(file: Buffer): WordVectors {
  const raw = brotliDecompressSync(file);
  const end = 4 + raw.readUInt32LE(0);
  const words = raw.toString("utf8", 4, end).split("\n");
  const numbers = new Int8Array(raw.buffer, raw.byteOffset + end, raw.length - end);
  if (numbers.length !== words.length * SIZE)
    throw new Error(`The word vectors have ${numbers.length} numbers, and ${words.length * SIZE} are needed`);
  return { words, numbers };
}
