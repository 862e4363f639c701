import type { Verdict } from "../model/judging.ts";
import type { Mention } from "../model/mention.ts";
import type { Query } from "../model/query.ts";
import type { Severity } from "../model/severity.ts";
import type { GroupKey } from "./group-key.ts";
import type { Novelty } from "./novelty.ts";
import type { Predicate } from "./predicate.ts";
import type { ReachedSeverity } from "./severity-steps.ts";
import type { WindowCondition } from "./window-condition.ts";

/** The order in which a query is read after a time without polls. */
export const CATCH_UPS = ["in-order", "newest-first"] as const;
type CatchUp = (typeof CATCH_UPS)[number];

interface RuleBase {
  /** Also the name of its file. */
  readonly name: string;
  /** Shown instead of the name; the name in words if the file has no title. */
  readonly title: string;
  readonly description: string;
  /** The initial severity of an alert. */
  readonly severity: Severity;
  /** Names or ids of its queries, as written in the file; null for all. */
  readonly queries: readonly string[] | null;
  /** All severities that its alerts can have, mildest first. */
  readonly severities: readonly Severity[];
  /** The severities above the initial one and what has to be reached, in words; one of them is enough. */
  readonly severitySteps: readonly { readonly severity: Severity; readonly words: readonly string[] }[];
  appliesTo(query: Query): boolean;
  /** The mentions that it is about; default all. */
  readonly when: Predicate;
  /** Whether a mention is one of them, and why, in numbers and the rule's own words. */
  judge(mention: Mention): Verdict;
  /** The group keys: verdicts with equal values share one alert. "query" is always one of them. */
  readonly groupBy: readonly GroupKey[];
  /** The values of the group keys; hostile text, "unknown" if the source withholds one. `story` is the mention's
   * story; default: the story of its own text. */
  labels(mention: Mention, query: Query, story?: string): Readonly<Record<string, string>>;
  /** How long it must be true before the alert fires. */
  readonly forMs: number;
  /** Quiet time after which an alert resolves. */
  readonly overAfterMs: number;
  /** An alert that fires again this soon after its end is reopened. 0: never. */
  readonly reopenWithinMs: number;
  /** The name of the incidents that its alerts may join; empty for those of rules without one, null for none. */
  readonly incident: string | null;
  /** Newest first: rules about single mentions then send current alerts before missed ones. */
  readonly catchUp: CatchUp;
  /** Labels that the file adds to every alert, for routes. */
  readonly extraLabels: Readonly<Record<string, string>>;
}

/** What the severity of an alert on mentions may depend on; null if the source does not say. */
export interface MentionReach {
  /** Mentions of the alert, this one included. */
  readonly mentions: number;
  readonly reach: number | null;
  readonly followers: number | null;
  /** Mentions of the same story in the last day, including this one. */
  readonly story: number;
}

/** A rule on single mentions. */
export interface MentionRule extends RuleBase {
  readonly kind: "mention";
  /** Whether a step depends on the number of mentions of the same story, which the caller must count. */
  readonly countsStory: boolean;
  /** The most severe step that a mention reaches; undefined for the initial severity. */
  reached(facts: MentionReach): ReachedSeverity | undefined;
}

/** A rule on counts over time; `judge` says which mentions are counted. */
export interface WindowRule extends RuleBase {
  readonly kind: "window";
  readonly window: WindowCondition;
}

/** A rule on values never seen before; `judge` says which mentions it considers. */
export interface NewRule extends RuleBase {
  readonly kind: "new";
  readonly novelty: Novelty;
}

export type Rule = MentionRule | WindowRule | NewRule;
