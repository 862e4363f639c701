import { FADING, OLDEST_LATE_BUCKET, PUNCTUAL_PRIOR } from "./constants.ts";
import type { SpikeState } from "./spike-state.ts";

/** Adds what arrived in one bucket to the memory of how late mentions are. `counts[k]`: mentions k buckets late. */
export function learnLags(state: SpikeState, counts: readonly number[]): void {
  for (let lag = 0; lag <= OLDEST_LATE_BUCKET; lag++) {
    const arrived = Math.max(0, counts[lag] ?? 0);
    state.lags[lag] = FADING.lag * (state.lags[lag] ?? 0) + arrived;
  }
}

/** Share of mentions that have arrived within k buckets, for k = 0, 1, …; undefined while all are punctual. */
export function arrivedShares(state: SpikeState): readonly number[] | undefined {
  let late = 0;
  for (let lag = 1; lag <= OLDEST_LATE_BUCKET; lag++) late += state.lags[lag] ?? 0;
  if (late === 0) return undefined;
  const total = late + (state.lags[0] ?? 0) + PUNCTUAL_PRIOR;
  const shares: number[] = [];
  let sum = PUNCTUAL_PRIOR;
  for (let lag = 0; lag <= OLDEST_LATE_BUCKET; lag++) {
    sum += state.lags[lag] ?? 0;
    shares.push(sum / total);
  }
  return shares;
}
