import type { Instant } from "../../lib/instant.ts";
import type { OpenBounces } from "../../model/bounce.ts";
import type { Failure } from "../../model/failure.ts";
import type { Outage } from "../../model/outage.ts";
import type {
  DeadLetterCount,
  GivenUp,
  QueryProgress,
  QueryRhythm,
  WaitingWork,
} from "../../model/pipeline-facts.ts";
import type { OperatorRuleName } from "../problem.ts";
import type { DueDigest } from "./check-digests.ts";

/** Everything that is known of the line at one moment, as plain facts. */
export interface PipelineHealth {
  readonly failures: readonly Failure[];
  readonly progress: readonly QueryProgress[];
  /** Of queries that have been silent for a while. They are dear to find, so now and then they are those of before. */
  readonly rhythms: readonly QueryRhythm[];
  readonly waiting: WaitingWork;
  readonly digests: readonly DueDigest[];
  /** Those that ended a short while ago. */
  readonly outages: readonly Outage[];
  readonly deadLetters: readonly DeadLetterCount[];
  /** Wall time since a job last came out of the queue; null when none ever did. */
  readonly lastJobAgoMs: number | null;
  /** How long this process looks on: before that, what waits had nobody who could have seen it. */
  readonly upForMs: number;
  /** The longest of the intervals in which queries are polled at the moment. */
  readonly pollEveryMs: number;
  readonly receivers: readonly string[];
  /** The address of each receiver that gets mails. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Messages that were given up in the last day. */
  readonly givenUp: readonly GivenUp[];
  readonly bounces: readonly OpenBounces[];
  /** When the last alert that the queue stands still was open: from, and to (now, while it is). Null: none lately. */
  readonly queueAlert: { readonly from: Instant; readonly to: Instant } | null;
  /** Rules with an alert that stands: they end by a milder limit than they begin. */
  readonly openRules: ReadonlySet<OperatorRuleName>;
  readonly now: Instant;
}
