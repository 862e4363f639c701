import {
  CLUSTER_PRIOR,
  CLUSTER_WEIGHT,
  DAY_BUCKETS,
  HOUR_DOUBT,
  NOISE_PRIOR,
  NOISE_WEIGHT,
  WINDOWS,
} from "./constants.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";

/** What makes counts swing more than chance alone would: bunches, an uncertain level, a rate that wanders. */
export interface Dispersion {
  /** Variance per expected mention, because reposts come in bunches. */
  readonly cluster: number;
  /** Relative variance from not knowing the level and the hours of the day yet: wide limits for a new series. */
  readonly uncertainty: number;
}

export function dispersionOf(state: SpikeState): Dispersion {
  const errors = state.numbers[AT.clusters] ?? 0;
  const means = state.numbers[AT.clusters + 1] ?? 0;
  const cluster = Math.max(1, (errors + CLUSTER_PRIOR * CLUSTER_WEIGHT) / (means + CLUSTER_WEIGHT));
  const levelDoubt = cluster / ((state.numbers[AT.level] ?? 0) + 1);
  return { cluster, uncertainty: levelDoubt + hourDoubt(mark(state, MARK.buckets)) };
}

/** A series that is known since last night has never seen a morning: what is half a day away is known least. */
function hourDoubt(known: number): number {
  return known < DAY_BUCKETS ? HOUR_DOUBT * Math.sin((Math.PI * known) / DAY_BUCKETS) ** 2 : 0;
}

/** Relative variance of the rate at the length of one window. Beyond the longest that is learned it is not less known. */
export function rateNoise(state: SpikeState, window: number): number {
  const learned = Math.min(window, WINDOWS.length - 1);
  return (
    ((state.numbers[AT.noise + learned] ?? 0) + NOISE_PRIOR * NOISE_WEIGHT) /
    ((state.numbers[AT.noiseWeight + learned] ?? 0) + NOISE_WEIGHT)
  );
}

/** Variance of a window's count, all three reasons together. */
export function variance(state: SpikeState, dispersion: Dispersion, window: number, mean: number): number {
  return dispersion.cluster * mean + (rateNoise(state, window) + dispersion.uncertainty) * mean * mean;
}
