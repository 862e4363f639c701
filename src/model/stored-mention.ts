import type { Instant } from "../lib/instant.ts";
import type { Mention } from "./mention.ts";

/** A mention as it is written: the model's facts plus what only storing and ranking need. */
export interface StoredMention {
  readonly mention: Mention;
  /** The moment by which it is counted. */
  readonly eventAt: Instant;
  /** Texts that are one story share this key. */
  readonly story: string;
}

/** A stored mention with the story that it was found to tell. */
export type StoryMention = Pick<StoredMention, "mention" | "story">;

/** A page spelled for the tables, ready before its transaction begins. */
export interface PageRows {
  /** One identity a mention, in the order of the page. */
  readonly keys: readonly string[];
  /** Positions of those that have changed since they came. */
  readonly edited: ReadonlySet<number>;
  readonly json: string;
}

/** What a page turned out to hold. */
export interface PageOutcome {
  /** Positions in the page of mentions not seen before. */
  readonly added: readonly number[];
  /** Positions of mentions that differ from what was stored, with what was stored, and the story that it told. */
  readonly changed: readonly { readonly index: number; readonly before: Mention; readonly story: string }[];
}
