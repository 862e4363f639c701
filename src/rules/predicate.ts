import type { JsonValue } from "../lib/json.ts";
import type { Mention } from "../model/mention.ts";

/** A compiled test of single mentions. */
export interface Predicate {
  /** What it tests, canonical: tests that mean the same thing in the same words have equal forms. */
  readonly form: JsonValue;
  /**
   * A field that the mention does not have matches nothing; so its negation matches. A source may withhold any field:
   * `not: {verified: true}` takes in everybody whose badge is unknown.
   */
  matches(mention: Mention): boolean;
  /** Why a mention that matches does, in the rule's own words and in numbers; never in the mention's words. */
  explain(mention: Mention): string;
  /** Why a mention that does not match does not: what it has instead. Absent: the label says all there is. */
  explainMiss?(mention: Mention): string;
  /** The same for no mention in particular: "negative", "at least 10,000 followers". */
  readonly label: string;
  /** How it stands before "mentions", where it can: "negative". */
  readonly adjective?: string;
  /** How it stands behind "mentions", where it can: `in category "Safety"`. */
  readonly attribute?: string;
  /** What several tests make of "mentions", where each of them can stand before or behind it. */
  readonly subject?: string;
  /** It asks for this sentiment and for nothing else. */
  readonly sentiment?: "positive" | "neutral" | "negative";
  /** It says what a mention is not. */
  readonly excludes?: true;
}
