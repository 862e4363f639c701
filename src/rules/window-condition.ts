import type { Instant } from "../lib/instant.ts";
import type { JsonValue } from "../lib/json.ts";
import type { RenotifyReason, WindowCount } from "../model/alert.ts";
import type { Mention } from "../model/mention.ts";
import type { ReachedSeverity } from "./severity-steps.ts";
import type { Judged, WarmUp } from "./warm-up.ts";

/** What is counted: mentions of one query that pass a test. */
export interface Series {
  /** Hash of the test: the same slice in two rules has the same key, so that it is counted once. */
  readonly key: string;
  counts(mention: Mention): boolean;
  /** Whose voice a mention is: then each voice counts once in a span of six hours, however often it speaks. */
  author?(mention: Mention): string;
  /** The voice is the story that a mention tells. `voice` knows its text alone; whoever folded it knows better. */
  readonly countsStories?: true;
}

/** Mentions by the bucket of their own time. Negative where a changed mention left the slice. */
export interface BucketCount {
  readonly bucket: Instant;
  readonly count: number;
}

/** One arrival bucket has closed: nothing more can arrive in it. Told for every bucket in order, empty ones too. */
export interface Tick {
  /** Start of the bucket. */
  readonly bucket: Instant;
  /** 300,000: the conditions are made for buckets of five minutes. */
  readonly bucketMs: number;
  /** Of the query, `Europe/Berlin`; UTC where it is left out. */
  readonly timezone?: string;
  /** What became visible in it: one list per series of the condition, in their order. */
  readonly arrivals: readonly (readonly BucketCount[])[];
}

/** What a window says. All but `met` and `arrived` speak of the same window. */
export interface WindowVerdict {
  readonly met: boolean;
  readonly because: string;
  readonly windowFrom: Instant;
  readonly windowTo: Instant;
  /** Mentions of the first series in the window. */
  readonly observed: number;
  /** Mentions of the first series that this tick brought. */
  readonly arrived: number;
  /** The numbers behind `because`, by name. */
  readonly values: Readonly<Record<string, number>>;
  /** It speaks of the alert so far and not of the newest window, so that what it says replaces what was said. */
  readonly restates?: boolean;
  /** It became so much more that people should be told again. */
  readonly renotify?: RenotifyReason;
  /** The gravest step of the rule that it reaches; absent: what an alert has from the start. */
  readonly reached?: ReachedSeverity;
  /** How many there are now, always in a window of the same length while an alert goes on. */
  readonly present?: WindowCount;
}

/**
 * A condition on counts over time. Its state is JSON of at most 2 kB, and `step` depends on nothing but its arguments,
 * so a replay at any speed, or a worker that takes over from another, comes to the same verdicts.
 */
export interface WindowCondition {
  readonly type: string;
  /** Hash of all that the state depends on: a stored state is of use exactly while the key is the same. */
  readonly key: string;
  /**
   * Hash of what is learned and of nothing else: a rule that was edited without changing it goes on from the state that
   * it had under another key.
   */
  readonly baseline: string;
  readonly series: readonly Series[];
  /** Whose hours or days it looks at, where its rule says so; else those of the query. */
  readonly timezone?: string;
  /** What its first series counts: "negative mentions". */
  readonly subject: string;
  initial(): JsonValue;
  /** What of a state another rule may start with: what was learned, and nothing that was told. */
  inherit(state: JsonValue): JsonValue;
  /**
   * Whether it can go on from a stored state. It cannot from one that later code wrote in a form of its own, before
   * somebody went back to this code. Absent: from all with its key.
   */
  canRead?(state: JsonValue): boolean;
  /** Whether a tick without arrivals can be left to a later step: it would be met by nothing and end nothing. */
  isAsleep(state: JsonValue): boolean;
  /** What it has yet to learn before it may fire; undefined where that is nothing. */
  warmUp(state: JsonValue, judged: Judged): WarmUp | undefined;
  /** `state` is what the step before returned, or `initial()`. */
  step(state: JsonValue, tick: Tick): { readonly state: JsonValue; readonly verdict: WindowVerdict };
}
