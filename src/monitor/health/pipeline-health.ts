import type { Instant } from "../../lib/instant.ts";
import type { Failure, OpenBounces, Outage } from "../model/failure.ts";
import type {
  DeadLetterCount,
  FeedHealth,
  GivenUp,
  QueryProgress,
  QueryRhythm,
  UncorrectedMessages,
  WaitingWork,
} from "../model/pipeline-facts.ts";
import type { ProcessVersions } from "../model/process.ts";
import type { SourceName } from "../model/query.ts";
import type { HeldRule } from "../model/rule-flood.ts";

/** An edition that is due and not built. */
export interface DueDigest {
  readonly name: string;
  readonly localDate: string;
  readonly dueAt: Instant;
  /** The error of its last try; null if none failed. */
  readonly error: string | null;
  /** All its tries failed, and it was given up. */
  readonly deadLetters: boolean;
}

/** Everything known about the pipeline at one moment, as plain facts. */
export interface PipelineHealth {
  readonly failures: readonly Failure[];
  readonly progress: readonly QueryProgress[];
  /** Queries that have been silent for a while. Expensive to find, so they may be those of an earlier check. */
  readonly rhythms: readonly QueryRhythm[];
  readonly waiting: WaitingWork;
  readonly digests: readonly DueDigest[];
  /** Those that ended a short while ago. */
  readonly outages: readonly Outage[];
  readonly deadLetters: readonly DeadLetterCount[];
  /** Wall time since a job last came out of the queue; null if none ever did. */
  readonly lastJobAgoMs: number | null;
  /** How long this process has been running: before that, nobody could have taken work. */
  readonly upForMs: number;
  /** The poll interval of each source; 0: it is not configured. */
  readonly pollEveryMs: Readonly<Record<SourceName, number>>;
  readonly feeds: readonly FeedHealth[];
  /** Keys of the feeds with an open alert that they are silent, and MANY_FEEDS. */
  readonly silentFeeds: ReadonlySet<string>;
  readonly receivers: readonly string[];
  /** The address of each email receiver. */
  readonly addresses: ReadonlyMap<string, string>;
  /** The receivers whose messages have buttons. */
  readonly withButtons: ReadonlySet<string>;
  /** Messages that were given up in the last day. */
  readonly givenUp: readonly GivenUp[];
  readonly uncorrected: readonly UncorrectedMessages[];
  readonly bounces: readonly OpenBounces[];
  readonly heldRules: readonly HeldRule[];
  /** When the last alert `queue-stands-still` was open: from, and to (`now` if it still is). Null: none lately. */
  readonly queueAlert: { readonly from: Instant; readonly to: Instant } | null;
  /** The sources with an open alert `source-lag`: it ends at a lower limit than it begins. */
  readonly openLags: ReadonlySet<SourceName>;
  /** Which process runs which version of the configuration. */
  readonly versions: ProcessVersions;
  readonly now: Instant;
  /** How far the clock of this process jumped since the last check; negative: back. */
  readonly jumpedMs: number;
  /** The wall time of the database. */
  readonly wall: Instant;
}

/** While the tables were down, nobody could work: time counts from their return. */
export function upSinceOutage({ outages, upForMs, now }: PipelineHealth): number {
  const back = Math.max(...outages.filter(({ engine }) => engine === "database").map(({ to }) => to));
  return Math.min(upForMs, Math.max(0, now - back));
}
