import type { Instant } from "../lib/instant.ts";
import type { Mention } from "./mention.ts";

/** A mention as stored: the model's facts plus what only storing and ranking need. */
export interface StoredMention {
  readonly mention: Mention;
  /** The time that counts for it. */
  readonly eventAt: Instant;
  /** Texts of the same story share this key. */
  readonly story: string;
}

/** A stored mention with its story. */
export type StoryMention = Pick<StoredMention, "mention" | "story">;

/** A page converted to rows, ready before its transaction begins. */
export interface PageRows {
  /** One key per mention, in the order of the page. */
  readonly keys: readonly string[];
  /** Positions of the mentions that changed after they arrived. */
  readonly edited: ReadonlySet<number>;
  readonly json: string;
}

/** The result of storing a page. */
export interface PageOutcome {
  /** Positions in the page of mentions not seen before. */
  readonly added: readonly number[];
  /** Positions of mentions that differ from the stored version, with that version and its story. */
  readonly changed: readonly { readonly index: number; readonly before: Mention; readonly story: string }[];
}
