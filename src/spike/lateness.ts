import { FADING, LAG_EDGES, OLDEST_LATE_BUCKET, PUNCTUAL_PRIOR } from "./constants.ts";
import { AT, type SpikeState } from "./spike-state.ts";

/**
 * Learns how late mentions are from the arrivals of one bucket. `counts[k]`: mentions k buckets late. Each series
 * learns alone: learning from others would depend on the order of polls, and a replay would differ.
 */
export function learnLags(state: SpikeState, counts: readonly number[]): void {
  const { numbers } = state;
  for (let bin = AT.lags; bin < AT.lags + LAG_EDGES.length; bin++) {
    const faded = FADING.lag * (numbers[bin] ?? 0);
    // After weeks, the faded rest of a few late mentions has no meaning: drop it.
    numbers[bin] = faded < FORGOTTEN ? 0 : faded;
  }
  for (let lag = 0; lag < counts.length; lag++) {
    const bin = AT.lags + binOfLag(lag);
    numbers[bin] = (numbers[bin] ?? 0) + Math.max(0, counts[lag] ?? 0);
  }
}

/** The bin of `LAG_EDGES` in which a lag is counted. */
export function binOfLag(lag: number): number {
  return BINS[lag] ?? 0;
}

/**
 * Share of mentions that have arrived within k buckets, for k = 0, 1, …; undefined while all are punctual. Assumes even
 * arrivals inside a bin.
 */
export function arrivedShares(state: SpikeState): readonly number[] | undefined {
  const { numbers } = state;
  let late = 0;
  for (let bin = AT.lags + 1; bin < AT.lags + LAG_EDGES.length; bin++) late += numbers[bin] ?? 0;
  if (late === 0) return undefined;
  const total = late + (numbers[AT.lags] ?? 0) + PUNCTUAL_PRIOR;
  const shares: number[] = [];
  let sum = PUNCTUAL_PRIOR;
  for (let lag = 0; lag <= OLDEST_LATE_BUCKET; lag++) {
    const bin = binOfLag(lag);
    sum += (numbers[AT.lags + bin] ?? 0) / (WIDTHS[bin] ?? 1);
    // Sums of rounded parts may be slightly above the whole.
    shares.push(Math.min(1, sum / total));
  }
  return shares;
}

const FORGOTTEN = 1e-4;
const BINS = Array.from({ length: OLDEST_LATE_BUCKET + 1 }, (_, lag) =>
  LAG_EDGES.findIndex((edge) => lag <= edge),
);
const WIDTHS = LAG_EDGES.map((edge, bin) => edge - (LAG_EDGES[bin - 1] ?? -1));
