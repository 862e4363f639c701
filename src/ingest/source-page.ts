import type { Mention } from "../model/mention.ts";

/** One answer of the source, reduced to what ingest needs of it. */
export interface SourcePage {
  readonly mentions: readonly Mention[];
  /** What came and cannot be kept, with the reason. */
  readonly rejected: readonly { readonly resourceId: string | null; readonly reason: string }[];
  readonly nextCursor: string | null;
  readonly total: number | null;
  /** The page size in force; null where the source does not say. */
  readonly pageSize: number | null;
}
