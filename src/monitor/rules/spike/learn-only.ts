import { WINDOWS } from "./constants.ts";
import { closeBucket, type LateCount, type SpikeSettings } from "./detector.ts";
import { arrivedShares, expectedCount, leastExpectedCount } from "./expectation.ts";
import { MARK, mark, type SpikeState } from "./spike-state.ts";
import { dispersionOf, rateNoise } from "./variation.ts";

/** The expected count of a bucket, before it was learned. */
interface LearnedBucket {
  readonly expected: number;
  /** Its least expected count. */
  readonly leastExpected: number;
  /** Share of mentions that have arrived k buckets after their own; undefined while all are punctual. */
  readonly arrived: readonly number[] | undefined;
  /** Variance per expected mention, and relative variance of the rate over the longest window. */
  readonly cluster: number;
  readonly wander: number;
  /** Age of the series in buckets. */
  readonly known: number;
}

/** Closes the next bucket for callers that need only the expectation; nothing ever fires. */
export function learnOnly(state: SpikeState, arrivals: readonly LateCount[], zone = "UTC"): LearnedBucket {
  const known = mark(state, MARK.buckets);
  const { cluster, uncertainty } = dispersionOf(state);
  const learned = {
    expected: expectedCount(state, known, zone).mean,
    leastExpected: leastExpectedCount(state, known, zone),
    arrived: arrivedShares(state),
    cluster,
    wander: rateNoise(state, WINDOWS.length - 1) + uncertainty,
    known,
  };
  closeBucket(state, arrivals, { ...NEVER, zone });
  return learned;
}

const NEVER: SpikeSettings = {
  gates: { lnSignificant: Number.NEGATIVE_INFINITY, score: null, lnCountingNoise: null, leastMentions: 0 },
  cooldownBuckets: 1,
  atLeast: Number.POSITIVE_INFINITY,
};
