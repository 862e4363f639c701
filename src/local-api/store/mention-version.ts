import type { Instant } from "../../lib/instant.ts";
import type { MentionRecord } from "../records/mention-record.ts";

/** One version of a mention to store. The wire record has what is not named here. */
export interface MentionVersion {
  /** From 1; later versions of the same mention have a higher number and the same `added`. */
  readonly version: number;
  readonly record: MentionRecord;
  readonly date: Instant | null;
  readonly added: Instant;
  readonly updated: Instant;
  /** From this moment on the API shows it … */
  readonly visibleAt: Instant;
  /** … until this one, when the next version takes over. */
  readonly supersededAt: Instant | null;
  /** Found by a backfill rather than when it was published. */
  readonly backfilled?: boolean;
  readonly fullText: string | null;
  /** Ids for the `tag` filter; the wire record carries its tags as they are shown. */
  readonly tagIds?: readonly number[];
  /** Not in the wire record, but an order and a filter know it. */
  readonly twitterLikeCount?: number | null;
}
