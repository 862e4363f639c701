import { DAY_BUCKETS } from "../../model/judging.ts";

/** Window widths in buckets: 5, 15, 30, 60 and 120 minutes. */
export const WINDOWS = [1, 3, 6, 12, 24] as const;
export const LONGEST_WINDOW = 24;

/** A mention that arrives more than this many buckets after its event bucket can no longer change a verdict. */
export const OLDEST_LATE_BUCKET = 36;
/** Buckets kept: the longest window behind the oldest bucket that may still be waiting to be learned. */
export const RING = LONGEST_WINDOW + OLDEST_LATE_BUCKET;

/**
 * Five hours, all that is kept. Used only if the longest window is expected to hold fewer mentions than this floor of
 * the presets: two hours of a true rise are then only a few mentions, which no test can distinguish from noise.
 */
export const SPARSE_WINDOW = LONGEST_WINDOW + OLDEST_LATE_BUCKET;
export const SPARSE_BELOW = 4;
/** By index: the windows, then the window of sparse series, which is judged but not learned. */
export const JUDGED_WINDOWS = [...WINDOWS, SPARSE_WINDOW] as const;

/**
 * The ends of the lateness bins, in buckets: one bin per bucket where most mentions arrive, coarser ones later.
 */
export const LAG_EDGES = [
  0,
  1,
  2,
  3,
  4,
  5,
  6,
  8,
  10,
  12,
  15,
  18,
  21,
  24,
  28,
  32,
  OLDEST_LATE_BUCKET,
] as const;

/** Hour profile: 24 hours of working days, then 24 of Saturday and Sunday. */
export const HOUR_BINS = 48;

/** Fading per step for a half-life given in steps. */
export function fadingOf(halfLife: number): number {
  return 0.5 ** (1 / halfLife);
}

export const FADING = {
  level: fadingOf(10 * DAY_BUCKETS),
  dispersion: fadingOf(20 * DAY_BUCKETS),
  /** One step per bucket in an hour's bin, twelve an hour: nearly a running mean. */
  hours: fadingOf(20 * DAY_BUCKETS),
  lag: fadingOf(2 * DAY_BUCKETS),
} as const;

/** Weight, in mentions, that draws the hour profile towards "every hour alike". */
export const PROFILE_SHRINKAGE = 100;
/** Assumed size of a bunch of mentions (reposts) before anything is known, and the weight of this guess in mentions. */
export const CLUSTER_PRIOR = 1.5;
export const CLUSTER_WEIGHT = 30;
/** Assumed relative variance of the rate before anything is known, and its weight. */
export const NOISE_PRIOR = 0.1;
export const NOISE_WEIGHT = 20;
/** Relative variance of the rate half a day away from all known hours of a series, during its first day. */
export const HOUR_DOUBT = 0.25;
/** The least relative variance of any query's rate. */
export const LEAST_WANDER = 0.05;
/** A single bucket teaches at most this many standard deviations plus this many mentions. */
export const LEARN_DEVIATIONS = 4;
export const LEARN_MENTIONS = 2;
/** The least expected count of a bucket. */
export const LEAST_EXPECTED = 0.002;
/** Assumed usual variation of a query before anything is known, in mentions, and its weight in buckets. */
export const VARIATION_PRIOR = 0.3;
export const VARIATION_WEIGHT = 20;
/** A new series is watched for two hours before it may fire. */
export const SILENT_BUCKETS = 24;
/** An open episode ends after this many buckets in a row below this score. */
export const CALM_SCORE = 2;
export const CALM_BUCKETS = 6;
/** A wave is counted once the gates were not passed for this many buckets after its last one: 6 h. */
export const WAVE_GAP_BUCKETS = 72;
/** A bucket is learned once this share of its mentions has arrived. */
export const COMPLETE_SHARE = 0.98;
/** Assumed punctual mentions of a source before anything is known. */
export const PUNCTUAL_PRIOR = 5;
