import { DAY_BUCKETS } from "../../model/judging.ts";
import {
  CLUSTER_PRIOR,
  CLUSTER_WEIGHT,
  HOUR_DOUBT,
  LEARN_MENTIONS,
  LONGEST_WINDOW,
  NOISE_PRIOR,
  NOISE_WEIGHT,
  SPARSE_WINDOW,
  VARIATION_PRIOR,
  VARIATION_WEIGHT,
  WINDOWS,
} from "./constants.ts";
import { usualLevel } from "./expectation.ts";
import { factorsOf, type SpikeTuning } from "./sensitivity.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";
import type { WindowSums } from "./window-sums.ts";

/** Why counts vary more than by chance alone: bunches, an uncertain level, a changing rate. */
export interface Dispersion {
  /** Variance per expected mention, because reposts come in bunches. */
  readonly cluster: number;
  /** Relative variance because the level and the hours of the day are not known yet: wide limits for a new series. */
  readonly uncertainty: number;
}

export function dispersionOf(state: SpikeState): Dispersion {
  const errors = state.numbers[AT.clusters] ?? 0;
  const means = state.numbers[AT.clusters + 1] ?? 0;
  const cluster = Math.max(1, (errors + CLUSTER_PRIOR * CLUSTER_WEIGHT) / (means + CLUSTER_WEIGHT));
  const levelDoubt = cluster / ((state.numbers[AT.level] ?? 0) + 1);
  return { cluster, uncertainty: levelDoubt + hourDoubt(mark(state, MARK.buckets)) };
}

/** A series known since last night has never seen a morning: hours half a day away are known least. */
function hourDoubt(known: number): number {
  return known < DAY_BUCKETS ? HOUR_DOUBT * Math.sin((Math.PI * known) / DAY_BUCKETS) ** 2 : 0;
}

/** Relative variance of the rate at the length of one window; beyond the longest learned window, that window's. */
export function rateNoise(state: SpikeState, window: number): number {
  const learned = Math.min(window, WINDOWS.length - 1);
  return (
    ((state.numbers[AT.noise + learned] ?? 0) + NOISE_PRIOR * NOISE_WEIGHT) /
    ((state.numbers[AT.noiseWeight + learned] ?? 0) + NOISE_WEIGHT)
  );
}

/** Variance of a window's count, for all three reasons together. */
export function variance(state: SpikeState, dispersion: Dispersion, window: number, mean: number): number {
  return dispersion.cluster * mean + (rateNoise(state, window) + dispersion.uncertainty) * mean * mean;
}

/**
 * The index of one kind of cubes. The usual variation is measured in two ways: `variationCubes` from the hour's
 * expectation, `levelCubes` from the query's level at any hour, where day and night count as variation.
 */
type CubeIndex = typeof AT.variationCubes | typeof AT.levelCubes;

/**
 * The usual deviation of a window in mentions: the cubic mean. For a query with rare but large bursts, the root of the
 * mean square is nearly as low as for a calm one, and the next burst of a third of the size would fire. In a mean of
 * higher order the largest bursts count more.
 */
export function usualVariation(
  state: SpikeState,
  window: number,
  side: CubeIndex = AT.variationCubes,
): number {
  if (window === WINDOWS.length) {
    // Extrapolate the growth from one hour to two.
    const [one, two] = [usualVariation(state, window - 2, side), usualVariation(state, window - 1, side)];
    return two * (two / one) ** STRETCH_POWER;
  }
  const cubes = (state.numbers[side + window] ?? 0) + PRIOR_CUBES;
  return Math.cbrt(cubes / (mark(state, MARK.variationWeight) + VARIATION_WEIGHT));
}

/**
 * After a burst, the query needs a larger one to fire. A score beyond the cap is learned as the cap: otherwise, for
 * months after a crisis, only another crisis would fire.
 */
export function learnVariation(
  state: SpikeState,
  sums: WindowSums,
  tuning: SpikeTuning,
  first: boolean,
): void {
  const { numbers } = state;
  const { windowWeights, variationFading } = factorsOf(tuning);
  const level = usualLevel(state);
  for (let window = 0; window < WINDOWS.length; window++) {
    const observed = sums.observed[window] ?? 0;
    const cap = tuning.cap / (windowWeights[window] ?? 1);
    const fromHour = Math.abs(observed - (sums.expected[window] ?? 0));
    const fromLevel = Math.abs(observed - level * (sums.buckets[window] ?? 0));
    const hour = first ? 0 : Math.min(fromHour, cap * usualVariation(state, window) + LEARN_MENTIONS);
    const flat = first
      ? 0
      : Math.min(fromLevel, cap * usualVariation(state, window, AT.levelCubes) + LEARN_MENTIONS);
    const [atHour, atLevel] = [AT.variationCubes + window, AT.levelCubes + window];
    numbers[atHour] = variationFading * (numbers[atHour] ?? 0) + hour * hour * hour;
    numbers[atLevel] = variationFading * (numbers[atLevel] ?? 0) + flat * flat * flat;
  }
  numbers[AT.marks + MARK.variationWeight] = variationFading * mark(state, MARK.variationWeight) + 1;
}

const PRIOR_CUBES = VARIATION_WEIGHT * VARIATION_PRIOR ** 3;

/** Log2 of the ratio between the window of sparse series and the longest learned one. */
const STRETCH_POWER = Math.log2(SPARSE_WINDOW / LONGEST_WINDOW);
