import { packFile, unpackFile } from "../packed-file.ts";
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

interface ModelHeader {
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

export function encodeModel({ header, weights }: Model): Buffer {
  return packFile(JSON.stringify(header), weights);
}

/** Throws if the file was trained for other features than these. */
export function decodeModel(file: Buffer): Model {
  const { text, numbers: weights } = unpackFile(file);
  if (weights.length !== PLACES * COLUMNS)
    throw new Error(`The sentiment model has ${weights.length} weights, and ${PLACES * COLUMNS} are needed`);
  return { header: JSON.parse(text) as ModelHeader, weights };
}
