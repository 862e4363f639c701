import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { PLACES } from "./features.ts";
import type { WordList } from "./word-lists.ts";

/** In the order of the columns of every weight. */
export const SENTIMENTS = ["negative", "neutral", "positive"] as const;
export type Sentiment = (typeof SENTIMENTS)[number];
export const COLUMNS = SENTIMENTS.length;

/** What training found. */
export interface Model {
  readonly header: ModelHeader;
  /** For each place a weight of each sentiment, in steps of `header.step`. */
  readonly weights: Int8Array;
}

export interface ModelHeader {
  /** Changes with every training. */
  readonly version: string;
  readonly step: number;
  /** Of each sentiment. */
  readonly bias: readonly number[];
  /** For each number that `countWords` gives a weight of each sentiment. */
  readonly countWeights: readonly number[];
  /** Probabilities are those of the scores divided by this: above 1 where training was too sure of itself. */
  readonly temperature: number;
  /** "positive" must be so many times as probable as the others: a complaint that is called positive costs most. */
  readonly positiveCare: number;
  /** For each language its lists; "" for a text of unknown language. */
  readonly lists: Readonly<Record<string, readonly WordList[]>>;
}

/** The header as JSON with its length in front, then the weights, all of it compressed. */
export function encodeModel({ header, weights }: Model): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  const raw = Buffer.concat([length, json, Buffer.from(weights.buffer, weights.byteOffset, weights.length)]);
  return brotliCompressSync(raw, { params: { [constants.BROTLI_PARAM_LGWIN]: 22 } });
}

/** Throws if the file was trained for other features than these. */
export function decodeModel(file: Buffer): Model {
  const raw = brotliDecompressSync(file);
  const end = 4 + raw.readUInt32LE(0);
  const header = JSON.parse(raw.toString("utf8", 4, end)) as ModelHeader;
  const weights = new Int8Array(raw.buffer, raw.byteOffset + end, raw.length - end);
  if (weights.length !== PLACES * COLUMNS)
    throw new Error(`The sentiment model has ${weights.length} weights, and ${PLACES * COLUMNS} are needed`);
  return { header, weights };
}
