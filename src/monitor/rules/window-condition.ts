import type { Instant } from "../../lib/instant.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { RenotifyReason, WindowCount } from "../model/alert.ts";
import type { Mention } from "../model/mention.ts";
import type { ReachedSeverity } from "./severity-steps.ts";
import type { JudgedUpTo, WarmUp } from "./warm-up.ts";

/** Counted mentions: those of one query that pass a test. */
export interface Series {
  /** Hash of the test: the same slice in two rules has the same key and is counted once. */
  readonly key: string;
  counts(mention: Mention): boolean;
  /** The author or story of a mention; if set, each one counts once in six hours. */
  author?(mention: Mention): string;
  /** Set if `author` returns a story, by the text of the mention alone; the story index knows its real story. */
  readonly countsStories?: true;
}

/** Mentions by the bucket of their own time. Negative if a changed mention left the slice. */
export interface BucketCount {
  readonly bucket: Instant;
  readonly count: number;
}

/** One closed arrival bucket: nothing more can arrive in it. Called for every bucket in order, empty ones too. */
export interface Tick {
  /** Start of the bucket. */
  readonly bucket: Instant;
  /** Always 300,000: the conditions work on buckets of five minutes. */
  readonly bucketMs: number;
  /** Of the query, `Europe/Berlin`; default UTC. */
  readonly timezone?: string;
  /** What became visible in it: one list per series of the condition, in their order. */
  readonly arrivals: readonly (readonly BucketCount[])[];
}

/** The verdict on a window. All fields but `met` and `goesOn` describe the same window. */
export interface WindowVerdict {
  readonly met: boolean;
  /** Not met, but not as before either: an alert that has fired goes on. */
  readonly goesOn?: boolean;
  readonly because: string;
  readonly windowFrom: Instant;
  readonly windowTo: Instant;
  /** Mentions of the first series in the window. */
  readonly observed: number;
  /** The numbers behind `because`, by name. */
  readonly values: Readonly<Record<string, number>>;
  /** Set if it describes the whole alert so far, not the newest window; it then replaces the earlier text. */
  readonly restates?: boolean | undefined;
  /** Set if it has grown enough for another notification. */
  readonly renotify?: RenotifyReason | undefined;
  /** The most severe step of the rule that it reaches; if absent, the initial severity. */
  readonly reached?: ReachedSeverity | undefined;
  /** The current count, in a window of the same length during the whole alert. */
  readonly present?: WindowCount | undefined;
  /** The largest such count of the alert so far, with what arrived late. */
  readonly peak?: WindowCount | undefined;
}

/** A limit that a window did not reach. */
export interface Shortfall {
  /**
   * `count`: how many there are. `among`: how many a share is taken of. `share`, `usual`: the share, and what is
   * usual. `rarity`: chance brings it too often. `variation`: usual for this query. `noise`: too few to be more than
   * noise. `expected`: how many were expected. `days`: not every day. `cooldown`: it fired shortly before.
   */
  readonly of:
    | "count"
    | "among"
    | "authors"
    | "share"
    | "usual"
    | "rarity"
    | "variation"
    | "noise"
    | "expected"
    | "days"
    | "cooldown";
  readonly has: number;
  readonly needs: number;
  /** A sentence without its full stop, in words and numbers of the rule. */
  readonly text: string;
}

/**
 * A condition on counts over time. Its state is JSON of at most 2 kB. `step` depends only on its arguments, so a replay
 * at any speed, or a worker that takes over from another, reaches the same verdicts.
 */
export interface WindowCondition {
  readonly type: string;
  /** Hash of everything that the state depends on: a stored state is valid only for the same key. */
  readonly key: string;
  /**
   * Hash of what is learned only: an edited rule that still learns the same goes on from its state under the old
   * key.
   */
  readonly baseline: string;
  readonly series: readonly Series[];
  /** The time zone of its hours or days, if its rule sets one; else the query's. */
  readonly timezone?: string;
  /** What its first series counts: "negative mentions". */
  readonly subject: string;
  /** When it is met, in words without a full stop: "20 or more negative mentions in 30 min". */
  readonly inWords: string;
  /** How long it looks at mentions before it can be met: in a burst, and in an even flow. */
  readonly looksMs: readonly [burst: number, even: number];
  initial(): JsonValue;
  /** The part of a state that another rule may start with: what was learned, without what was notified. */
  inherit(state: JsonValue): JsonValue;
  /**
   * Whether it can use a stored state. It cannot use one in a newer form, which remains after a downgrade. If absent,
   * it can use every state with its key.
   */
  canRead?(state: JsonValue): boolean;
  /** Whether a tick without arrivals can wait for a later step, because it would neither start nor end anything. */
  isAsleep(state: JsonValue): boolean;
  /** What it must still learn before it may fire; undefined after the warm-up. */
  warmUp(state: JsonValue, judged: JudgedUpTo): WarmUp | undefined;
  /** `state` is the result of the previous step, or `initial()`. */
  step(state: JsonValue, tick: Tick): { readonly state: JsonValue; readonly verdict: WindowVerdict };
  /**
   * Which limits the window of this tick did not reach, in the order in which they are checked; `state` is as for
   * `step`. Empty if it reached all. Does not say whether the rule still warms up.
   */
  missing(state: JsonValue, tick: Tick): readonly Shortfall[];
}
