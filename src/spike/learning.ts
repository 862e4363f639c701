import { FADING, LEARN_DEVIATIONS, LEARN_MENTIONS, RING, WINDOWS } from "./constants.ts";
import { type Dispersion, dispersionOf, variance } from "./dispersion.ts";
import { type Expectation, expectedCount, hourBin } from "./expectation.ts";
import { toShortFloat } from "./short-float.ts";
import { AT, type SpikeState } from "./spike-state.ts";
import type { SpikeTuning } from "./tuning.ts";
import { learnVariation } from "./usual-variation.ts";
import { type WindowSums, windowSums } from "./window-sums.ts";

/**
 * Learns one bucket; each once and in order. Computes its expectation now, not when it opened: a new series with late
 * mentions would otherwise be measured for hours against its first guess.
 */
export function learnBucket(state: SpikeState, bucket: number, tuning: SpikeTuning, zone: string): void {
  const expectation = expectedCount(state, bucket, zone);
  state.expected[bucket % RING] = toShortFloat(expectation.mean);
  const dispersion = dispersionOf(state);
  const sums = windowSums(state, bucket);
  // The limit of the level uses what was known before this bucket, so compute it before the dispersion learns.
  const limit = surpriseLimit(variance(state, dispersion, 0, expectation.mean));
  learnDispersion(state, sums, dispersion);
  learnVariation(state, sums, tuning, bucket === 0);
  learnLevel(state, bucket, expectation, limit, hourBin(state, bucket, zone));
}

function surpriseLimit(spread: number): number {
  return LEARN_DEVIATIONS * Math.sqrt(spread) + LEARN_MENTIONS;
}

function learnDispersion(state: SpikeState, sums: WindowSums, dispersion: Dispersion): void {
  for (const [window, width] of WINDOWS.entries()) {
    if (sums.buckets[window] !== width) continue;
    const mean = sums.expected[window] ?? 0;
    const error = (sums.observed[window] ?? 0) - mean;
    const spread = variance(state, dispersion, window, mean);
    const limit = surpriseLimit(spread);
    const limited = Math.min(Math.max(error, -limit), limit);
    const excess = limited * limited - dispersion.cluster * mean;
    state.numbers[AT.noise + window] = Math.max(
      0,
      FADING.dispersion * (state.numbers[AT.noise + window] ?? 0) + excess,
    );
    state.numbers[AT.noiseWeight + window] =
      FADING.dispersion * (state.numbers[AT.noiseWeight + window] ?? 0) + mean * mean;
    if (window === 0 && mean < 3) {
      const squared = Math.min(error * error, 25 * spread + 16);
      state.numbers[AT.clusters] = FADING.dispersion * (state.numbers[AT.clusters] ?? 0) + squared;
      state.numbers[AT.clusters + 1] = FADING.dispersion * (state.numbers[AT.clusters + 1] ?? 0) + mean;
    }
  }
}

function learnLevel(
  state: SpikeState,
  bucket: number,
  expectation: Expectation,
  limit: number,
  bin: number,
): void {
  const count = Math.min(state.numbers[AT.counts + (bucket % RING)] ?? 0, expectation.mean + limit);
  state.numbers[AT.level] = FADING.level * (state.numbers[AT.level] ?? 0) + count;
  state.numbers[AT.level + 1] = FADING.level * (state.numbers[AT.level + 1] ?? 0) + expectation.season;
  state.numbers[AT.hourCounts + bin] = FADING.hours * (state.numbers[AT.hourCounts + bin] ?? 0) + count;
  state.numbers[AT.hourLevels + bin] =
    FADING.hours * (state.numbers[AT.hourLevels + bin] ?? 0) + expectation.level;
}
