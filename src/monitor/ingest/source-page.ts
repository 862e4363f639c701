import type { Instant } from "../../lib/instant.ts";
import type { Mention } from "../model/mention.ts";
import type { SamePage } from "../model/poll-state.ts";

/** One answer of the source, reduced to what ingest needs. */
export interface SourcePage {
  readonly mentions: readonly Mention[];
  /** Mentions that cannot be stored, with the reason. */
  readonly rejected: readonly RejectedRow[];
  readonly nextCursor: string | null;
  readonly total: number | null;
  /** The page size in force; null if the source does not send it. */
  readonly pageSize: number | null;
  /** The server's own time, if its answer has it and it can be compared with ours. */
  readonly servedAt?: Instant | null;
  /** How far the server's clock, which stamps `added`, runs behind ours, or ahead of it (negative); 0 if absent. */
  readonly behindMs?: number;
  /** How often this page came without another in between; null or absent: nobody counts. */
  readonly same?: SamePage | null;
  /** How often the mentions of its one query had been written to before it was read; null or absent if nobody says so. */
  readonly revision?: string | null;
  /**
   * Present on a page that several queries share. The cursor belongs to all of them, so no poll of one can resume from
   * it. The mentions of the others show how far this one was read. `missing`, on the last page: how many more mentions
   * the source counted than it sent, of all queries together.
   */
  readonly shared?: { readonly highest: Instant | null; readonly missing: number | null };
}

/** A mention that becomes a dead letter. */
export interface RejectedRow {
  readonly resourceId: string | null;
  readonly queryId?: string | undefined;
  readonly reason: string;
  /** The mention as it was read, if it could be read: a replay needs it. */
  readonly mention?: Mention;
  /** How often it was tried; once if another try would fail in the same way. */
  readonly tries?: number;
}
