import type { Mention } from "../model/mention.ts";

/** What came and is set aside. */
export interface RejectedMention {
  readonly resourceId: string | null;
  readonly reason: string;
  /** As it was read, where it could be read: what a replay needs. */
  readonly mention?: Mention;
  /** How often it was tried; once, where another try of the same could not end otherwise. */
  readonly tries?: number;
}

/** One answer of the source, reduced to what ingest needs of it. */
export interface SourcePage {
  readonly mentions: readonly Mention[];
  /** What came and cannot be kept, with the reason. */
  readonly rejected: readonly RejectedMention[];
  readonly nextCursor: string | null;
  readonly total: number | null;
  /** The page size in force; null where the source does not say. */
  readonly pageSize: number | null;
}
