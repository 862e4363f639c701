import type { Instant } from "../../lib/instant.ts";
import type { Actor } from "./alert-action.ts";

/** The last run of one rule test. */
export interface RuleTestRecord {
  readonly rule: string;
  /** The name of its file without the ending. */
  readonly test: string;
  /** `broken`: it could not be run. */
  readonly outcome: "Passed" | "Failed" | "Broken";
  /** The first expectation that was not met; empty if it passed. */
  readonly detail: string;
  /** The version of the rule that it tested. */
  readonly ruleVersion: string;
  readonly ranAt: Instant;
  readonly tookMs: number;
}

/** A rule file that somebody wrote on the console. */
export interface RuleEdit {
  readonly rule: string;
  readonly at: Instant;
  readonly actor: Actor;
  /** The version before; null if the rule is new. */
  readonly before: string | null;
  readonly after: string;
}

/** What a rule costs in delay, in milliseconds. */
export interface RuleDelay {
  readonly earliestMs: number;
  /** While polls are on time; null before the first polls. */
  readonly latestMs: number | null;
  /** `after the mention that reaches the limit`. */
  readonly start: string;
  readonly parts: readonly { readonly what: string; readonly ms: number | null; readonly why: string }[];
}
