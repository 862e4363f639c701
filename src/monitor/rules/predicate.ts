import type { JsonValue } from "../../lib/json.ts";
import type { Mention } from "../model/mention.ts";
import type { Miss } from "./miss.ts";

/** A compiled test of single mentions. */
export interface Predicate {
  /** The canonical form of the test: tests with the same meaning in the same words have equal forms. */
  readonly form: JsonValue;
  /**
   * A missing field matches nothing, so its negation matches. A source may withhold any field:
   * `not: {verified: true}` includes authors whose badge is unknown.
   */
  matches(mention: Mention): boolean;
  /** Why a mention matches, in the rule's words and in numbers; never in the mention's words. */
  explain(mention: Mention): string;
  /** What a mention that does not match lacks, and by how much. Call it only for such a mention. */
  miss(mention: Mention): Miss;
  /** The test in words, without a mention: "negative", "at least 10,000 followers". */
  readonly label: string;
  /** Its form before "mentions", if it has one: "negative". */
  readonly adjective?: string;
  /** Its form after "mentions", if it has one: `in category "Safety"`. */
  readonly attribute?: string;
  /** The same, where that would be too long: `in category "Safety" or others`. */
  readonly shortAttribute?: string;
  /** The phrase of several tests with "mentions", if each fits before or after it. */
  readonly subject?: string;
  /** Set if it tests only this sentiment. */
  readonly sentiment?: "positive" | "neutral" | "negative";
  /** True for a negation. */
  readonly excludes?: true;
}
