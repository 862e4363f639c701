import type { Instant } from "../../lib/instant.ts";
import type { FieldOf, MentionField } from "../records/mention-fields.ts";

/**
 * What a filter requires of a mention, as a value. The store turns it into SQL. A mention without a value in the field
 * does not meet the condition, so it meets the negation. Texts are compared without case.
 */
export type MentionCondition =
  | { readonly kind: "one-of"; readonly field: FieldOf<"text">; readonly values: readonly string[] }
  | { readonly kind: "contains"; readonly field: FieldOf<"text">; readonly text: string }
  /** One of the texts of a list. */
  | { readonly kind: "lists"; readonly field: FieldOf<"texts">; readonly values: readonly string[] }
  /** A label of any classifier (`Sadness`), or of one (`emotions:Sadness`). */
  | { readonly kind: "classified"; readonly values: readonly string[] }
  | { readonly kind: "overlaps"; readonly field: FieldOf<"ids">; readonly ids: readonly number[] }
  /** Strictly. */
  | { readonly kind: "after" | "before"; readonly field: FieldOf<"moment">; readonly at: Instant }
  | { readonly kind: "at-least" | "at-most"; readonly field: FieldOf<"number">; readonly value: number }
  | { readonly kind: "is"; readonly field: FieldOf<"flag">; readonly value: boolean }
  | { readonly kind: "has"; readonly field: MentionField }
  /** Has a tag, or has none. */
  | { readonly kind: "tagged"; readonly value: boolean }
  /** By the clocks of a zone when the mention was published: 0 to 23, or 1 (Monday) to 7. */
  | { readonly kind: "hour" | "weekday"; readonly zone: string; readonly values: readonly number[] }
  /** Ids such as `DEU.Berlin`: in one of the places or below it, or `exactly` there and known no better. */
  | { readonly kind: "located"; readonly places: readonly string[]; readonly exactly: boolean }
  /** Domains, subdomains included, or domains with the beginning of a path. */
  | { readonly kind: "site"; readonly sites: readonly string[] }
  /** The words of title and text fit: a search that the index on them decides. */
  | { readonly kind: "words"; readonly text: string; readonly tsquery: string }
  /** The versions of mentions that a search found, when the queries had this revision. */
  | { readonly kind: "found"; readonly text: string; readonly revision: string; readonly searchId: number }
  /** The share of the mentions that is indexed up to `withinMs` late is visible only after that delay. */
  | { readonly kind: "indexed"; readonly at: Instant; readonly withinMs: number; readonly share: number }
  /** Kept by a sample of this percentage. */
  | { readonly kind: "in-sample"; readonly percentage: number }
  | { readonly kind: "any" | "all"; readonly of: readonly MentionCondition[] }
  | { readonly kind: "not"; readonly condition: MentionCondition };
