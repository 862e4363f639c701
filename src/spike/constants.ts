/** Width of the buckets that the detector is fed with. */
export const BUCKET_MS = 300_000;

/** Window widths in buckets: 5, 15, 30, 60 and 120 minutes. */
export const WINDOWS = [1, 3, 6, 12, 24] as const;
export const LONGEST_WINDOW = 24;

/** A mention that arrives more than this many buckets after its event bucket can no longer change a verdict. */
export const OLDEST_LATE_BUCKET = 36;
/** Buckets kept: the longest window behind the oldest bucket that may still be waiting to be learned. */
export const RING = LONGEST_WINDOW + OLDEST_LATE_BUCKET;

/**
 * Five hours, all that is kept: looked at only where the longest window is expected to hold fewer mentions than these,
 * which is the floor of the presets. There two hours of a true rise are a handful, and no test tells them from noise.
 */
export const SPARSE_WINDOW = LONGEST_WINDOW + OLDEST_LATE_BUCKET;
export const SPARSE_BELOW = 4;
/** By index as everywhere: the windows, then that of sparse series, which is judged and not learned. */
export const JUDGED_WINDOWS = [...WINDOWS, SPARSE_WINDOW] as const;

/**
 * Lateness is remembered in bins that end with these many buckets: every bucket where most mentions arrive, coarser
 * where they are few.
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

export const DAY_BUCKETS = 288;
export const FADING = {
  level: fadingOf(10 * DAY_BUCKETS),
  dispersion: fadingOf(20 * DAY_BUCKETS),
  /** One step for each visit of an hour's bin, twelve an hour: nearly a running mean. */
  hours: fadingOf(20 * DAY_BUCKETS),
  lag: fadingOf(2 * DAY_BUCKETS),
} as const;

/** Mentions by which the hour profile is drawn towards "every hour alike". */
export const PROFILE_SHRINKAGE = 100;
/** Size of a bunch of mentions (reposts) before anything is known, and the mentions that this guess is worth. */
export const CLUSTER_PRIOR = 1.5;
export const CLUSTER_WEIGHT = 30;
/** Relative variance of the rate before anything is known, and its weight. */
export const NOISE_PRIOR = 0.1;
export const NOISE_WEIGHT = 20;
/** Relative variance of the rate half a day away from all that is known of a series, while it is known for less than a day. */
export const HOUR_DOUBT = 0.25;
/** Relative variance that the rate of any query has. */
export const LEAST_WANDER = 0.05;
/** A single bucket teaches at most this many standard deviations plus this many mentions. */
export const LEARN_DEVIATIONS = 4;
export const LEARN_MENTIONS = 2;
/** The least that a bucket is expected to hold. */
export const LEAST_EXPECTED = 0.002;
/** What the query's usual variation is thought to be before anything is known, in mentions, and its weight in buckets. */
export const VARIATION_PRIOR = 0.3;
export const VARIATION_WEIGHT = 20;
/** A new series is watched for two hours before it may page. */
export const SILENT_BUCKETS = 24;
/** The score below which, for this many buckets in a row, an open incident is over. */
export const CALM_SCORE = 2;
export const CALM_BUCKETS = 6;
/** A wave is counted when the gates were not passed for this many buckets after its last one: 6 h. */
export const WAVE_GAP_BUCKETS = 72;
/** A bucket is learned once this share of its mentions has arrived. */
export const COMPLETE_SHARE = 0.98;
/** Imaginary punctual mentions of a source that nothing is known about. */
export const PUNCTUAL_PRIOR = 5;
