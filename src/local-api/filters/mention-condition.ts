import type { Instant } from "../../lib/instant.ts";

/** What a filter demands of a mention, as a value. The store knows how to ask PostgreSQL for it. */
export type MentionCondition =
  | { readonly kind: "one-of"; readonly column: TextColumn; readonly values: readonly string[] }
  | { readonly kind: "overlaps"; readonly column: ListColumn; readonly ids: readonly number[] }
  | { readonly kind: "contains"; readonly column: TextColumn; readonly text: string }
  | { readonly kind: "after"; readonly column: TimeColumn; readonly at: Instant }
  | { readonly kind: "is"; readonly column: "backfilled"; readonly value: boolean }
  /** That `share` of the mentions which is indexed up to `withinMs` late is there only when it is, in its own time. */
  | { readonly kind: "indexed"; readonly at: Instant; readonly withinMs: number; readonly share: number }
  | { readonly kind: "any"; readonly of: readonly MentionCondition[] }
  | { readonly kind: "not"; readonly condition: MentionCondition };

export type TextColumn = "sentiment" | "pageType" | "language" | "author";
export type ListColumn = "categories" | "tags";
export type TimeColumn = "added" | "updated";
