import type { Fault } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Alert } from "./alert.ts";
import type { ShownMention } from "./shown.ts";

/** What a rule would have done in the last days. */
export interface TriedRule {
  readonly outcome: "Tried";
  readonly from: Instant;
  readonly to: Instant;
  /** Judged up to here: earlier than `to` if the time was over. */
  readonly until: Instant;
  /** Mentions from this moment on taught the rule. */
  readonly learnedFrom: Instant;
  /** What was cut, in sentences; empty if nothing was. */
  readonly cut: readonly string[];
  /** Mentions from `from` on, in the queries of the rule. */
  readonly mentions: number;
  /** Those that match. */
  readonly matched: number;
  /** The newest that match. */
  readonly examples: readonly ShownMention[];
  /** All alerts, and the newest of them. */
  readonly alertCount: number;
  readonly alerts: readonly Alert[];
  readonly messages: readonly { readonly receiver: string; readonly messages: number }[];
  /** The queries with the most alerts and matches, and a chart of the first ones. */
  readonly queries: readonly TriedQuery[];
  readonly queryCount: number;
  readonly tookMs: number;
}

export interface TriedQuery {
  readonly name: string;
  readonly matched: number;
  readonly alerts: number;
  /** SVG in the colours of the page; null if there is none. */
  readonly chart: string | null;
}

/** The faults of a rule, each at its line. */
export interface RuleFaults {
  readonly faults: readonly Fault[];
  /** How many there are besides. */
  readonly more: number;
}

/** The result of a try. */
export type RuleTryOutcome =
  | TriedRule
  | ({ readonly outcome: "Faulty" } & RuleFaults)
  /** A newer try of the same session took its place, or the reader went away. */
  | { readonly outcome: "Ended" }
  /** Other sessions try rules at the moment. */
  | { readonly outcome: "Busy" }
  | { readonly outcome: "NoQuery" };
