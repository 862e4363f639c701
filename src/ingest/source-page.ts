import type { Instant } from "../lib/instant.ts";
import type { Mention } from "../model/mention.ts";

/** One answer of the source, reduced to what ingest needs of it. */
export interface SourcePage {
  readonly mentions: readonly Mention[];
  /** What came and cannot be kept, with the reason. */
  readonly rejected: readonly RejectedRow[];
  readonly nextCursor: string | null;
  readonly total: number | null;
  /** The page size in force; null where the source does not say. */
  readonly pageSize: number | null;
  /** The server's own time, where its answer says so and ours can be held against it. */
  readonly servedAt?: Instant | null;
  /** How far the server's clock, which stamps `added`, runs behind ours, or ahead of it (negative); 0 where absent. */
  readonly behindMs?: number;
  /**
   * The part of a page that several queries share. Its cursor belongs to all of them, so that no walk of one can be
   * resumed from it; and what others have on it tells how far this one was seen.
   */
  readonly shared?: { readonly highest: Instant | null };
}

/** What came and is set aside. */
export interface RejectedRow {
  readonly resourceId: string | null;
  readonly queryId?: string;
  readonly reason: string;
  /** As it was read, where it could be read: what a replay needs. */
  readonly mention?: Mention;
  /** How often it was tried; once, where another try of the same could not end otherwise. */
  readonly tries?: number;
}
