import type { Mention } from "../model/mention.ts";
import type { Query } from "../model/query.ts";
import type { Severity } from "../model/severity.ts";
import type { Verdict } from "../model/verdict.ts";
import type { GroupKey } from "./group-key.ts";
import type { Novelty } from "./novelty.ts";
import type { Predicate } from "./predicate.ts";
import type { ReachedSeverity } from "./severity-steps.ts";
import type { WindowCondition } from "./window-condition.ts";

/** In which order a query is read after a time without polls. */
export const CATCH_UPS = ["in-order", "newest-first"] as const;
export type CatchUp = (typeof CATCH_UPS)[number];

interface RuleBase {
  /** Also the name of its file. */
  readonly name: string;
  /** What people read instead of the name; the name in words where the file has no title. */
  readonly title: string;
  readonly description: string;
  /** What an alert has from the start. */
  readonly severity: Severity;
  /** Names or ids of the queries that it looks at, as the file has them; null: all. */
  readonly queries: readonly string[] | null;
  /** All that an alert of it can have, mildest first. */
  readonly severities: readonly Severity[];
  appliesTo(query: Query): boolean;
  /** Which mentions it is about; all of them where the rule does not say. */
  readonly when: Predicate;
  /** Whether a mention is one of them, and why: numbers and the rule's own words. */
  judge(mention: Mention): Verdict;
  /** What makes two verdicts one alert; "query" is always part of it. */
  readonly groupBy: readonly GroupKey[];
  /** The values of the group keys; hostile text, "unknown" where the source withholds one. `story` is the one
   * that the mention was found to tell; absent: that of its own text. */
  labels(mention: Mention, query: Query, story?: string): Readonly<Record<string, string>>;
  /** How long it has to be true before anybody is told. */
  readonly forMs: number;
  /** Quiet time after which an alert is over. */
  readonly overAfterMs: number;
  /** What comes back so soon after its end is the same alert. 0: never. */
  readonly reopenWithinMs: number;
  /** Newest first: what happens now is told before what was missed, by rules about single mentions. */
  readonly catchUp: CatchUp;
  /** What the file adds to every alert, for routes. */
  readonly extraLabels: Readonly<Record<string, string>>;
}

/** What the severity of an alert on mentions may depend on; null where the source does not say. */
export interface MentionReach {
  /** Mentions of the alert, this one included. */
  readonly mentions: number;
  readonly reach: number | null;
  readonly followers: number | null;
  /** Mentions that told the same story in the last day, this one included. */
  readonly story: number;
}

/** True of single mentions. */
export interface MentionRule extends RuleBase {
  readonly kind: "mention";
  /** Whether a step asks how many tell the same story, which somebody has to count. */
  readonly countsStory: boolean;
  /** The gravest step that a mention reaches; undefined: what an alert has from the start. */
  reached(facts: MentionReach): ReachedSeverity | undefined;
}

/** True of counts over time; `judge` tells which mentions were counted. */
export interface WindowRule extends RuleBase {
  readonly kind: "window";
  readonly window: WindowCondition;
}

/** True of a value that was never seen before; `judge` tells which mentions are looked at. */
export interface NewRule extends RuleBase {
  readonly kind: "new";
  readonly novelty: Novelty;
}

export type Rule = MentionRule | WindowRule | NewRule;
