import type { Instant } from "../lib/instant.ts";
import type { JsonValue } from "../lib/json.ts";
import type { Mention } from "../model/mention.ts";

/** What is counted: mentions of one query that pass a test. */
export interface Series {
  /** Hash of the test: the same slice in two rules has the same key, so that it is counted once. */
  readonly key: string;
  counts(mention: Mention): boolean;
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
}

/**
 * A condition on counts over time. Its state is JSON of at most 2 kB, and `step` depends on nothing but its arguments,
 * so a replay at any speed, or a worker that takes over from another, comes to the same verdicts.
 */
export interface WindowCondition {
  readonly type: string;
  /** Hash of all that the state depends on: a stored state is of use exactly while the key is the same. */
  readonly key: string;
  readonly series: readonly Series[];
  initial(): JsonValue;
  /** `state` is what the step before returned, or `initial()`. */
  step(state: JsonValue, tick: Tick): { readonly state: JsonValue; readonly verdict: WindowVerdict };
}
