import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";

/** A text and numbers in one compressed file: the text with its length in front, then the numbers. */
export function packFile(text: string, numbers: Int8Array): Buffer {
  const words = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(words.length);
  const raw = Buffer.concat([length, words, Buffer.from(numbers.buffer, numbers.byteOffset, numbers.length)]);
  return brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_LGWIN]: 22 } });
}

export function unpackFile(file: Buffer): { readonly text: string; readonly numbers: Int8Array } {
  const raw = brotliDecompressSync(file);
  const end = 4 + raw.readUInt32LE(0);
  return {
    text: raw.toString("utf8", 4, end),
    numbers: new Int8Array(raw.buffer, raw.byteOffset + end, raw.length - end),
  };
}
