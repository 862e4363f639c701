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
