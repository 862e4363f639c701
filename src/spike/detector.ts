import { CALM_SCORE, COMPLETE_SHARE, JUDGED_WINDOWS, OLDEST_LATE_BUCKET, RING } from "./constants.ts";
import { dispersionOf } from "./dispersion.ts";
import { type EpisodeStep, fadeWaves, moveEpisode, outgrowsLastWave } from "./episode.ts";
import { expectedCount } from "./expectation.ts";
import { lnCountingNoise, significance, type TakesPart, unusualness } from "./gates.ts";
import { arrivedShares, learnLags } from "./lateness.ts";
import { learnBucket } from "./learning.ts";
import { rememberPeak, type SpikeMoment } from "./peak.ts";
import { type Gates, lnSignificantFor } from "./sensitivity.ts";
import { toShortFloat } from "./short-float.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";
import { factorsOf, type SpikeTuning, TUNING } from "./tuning.ts";
import { windowSums } from "./window-sums.ts";

export interface SpikeSettings {
  readonly gates: Gates;
  /** Buckets after a notification without another one. */
  readonly cooldownBuckets: number;
  /** A window with fewer mentions than this never fires. */
  readonly atLeast: number;
  /** Which windows may fire; default all. */
  readonly takesPart?: TakesPart;
  /** The time zone of hours and weekends, `Europe/Berlin`; default UTC. */
  readonly zone?: string;
  /** The measured constants; default `TUNING`. `gates` bring their own gate of the score. */
  readonly tuning?: SpikeTuning;
}

/** Mentions that became visible in the bucket that just closed. */
export interface LateCount {
  /** Buckets between the mention's own and this one; 0 for punctual mentions. */
  readonly age: number;
  /** Negative if mentions left the slice. */
  readonly count: number;
}

/** The observation at the newest bucket, for the most significant window, else the most unusual one. */
export interface SpikeObservation extends SpikeMoment {
  readonly step: EpisodeStep;
}

/** Closes the next bucket of a series: counts, judges by earlier knowledge, updates the episode, then learns. */
export function closeBucket(
  state: SpikeState,
  arrivals: readonly LateCount[],
  settings: SpikeSettings,
): SpikeObservation {
  const bucket = mark(state, MARK.buckets);
  const lags = countArrivals(state, bucket, arrivals);
  state.expected[bucket % RING] = toShortFloat(expectedCount(state, bucket, settings.zone).mean);
  const observation = judge(state, bucket, settings);
  if (mark(state, MARK.open) === 1) rememberPeak(state, observation, observation.step === "opened");
  learnLags(state, lags);
  learnComplete(state, bucket, settings);
  state.numbers[AT.marks + MARK.buckets] = bucket + 1;
  return observation;
}

/** Adds mentions to the buckets of their own time. Leaves out those that are too late or before the series began. */
function countArrivals(state: SpikeState, bucket: number, arrivals: readonly LateCount[]): readonly number[] {
  state.numbers[AT.counts + (bucket % RING)] = 0;
  const lags: number[] = [];
  for (const { age, count } of arrivals) {
    if (age < 0 || age > OLDEST_LATE_BUCKET || age > bucket) continue;
    const slot = (bucket - age) % RING;
    state.numbers[AT.counts + slot] = (state.numbers[AT.counts + slot] ?? 0) + count;
    lags[age] = (lags[age] ?? 0) + count;
  }
  for (const { age } of arrivals) {
    const slot = (bucket - age) % RING;
    if (
      age >= 0 &&
      age <= Math.min(bucket, OLDEST_LATE_BUCKET) &&
      (state.numbers[AT.counts + slot] ?? 0) < 0
    ) {
      state.numbers[AT.counts + slot] = 0;
    }
  }
  return lags;
}

function judge(state: SpikeState, bucket: number, settings: SpikeSettings): SpikeObservation {
  const { gates, atLeast, cooldownBuckets, takesPart, tuning = TUNING } = settings;
  const sums = windowSums(state, bucket, arrivedShares(state), true);
  const dispersion = dispersionOf(state);
  const waves = fadeWaves(state, bucket, factorsOf(tuning).waveFading, gates.score !== null);
  const least = Math.max(atLeast, gates.leastMentions);
  const significant = significance(state, sums, dispersion, least, takesPart);
  const unusual = unusualness(state, sums, tuning);
  const outgrows =
    significant.window >= 0 &&
    unusual.score >= CALM_SCORE &&
    outgrowsLastWave(state, bucket, cooldownBuckets, {
      width: JUDGED_WINDOWS[significant.window] ?? 1,
      observed: sums.observed[significant.window] ?? 0,
      expected: sums.expected[significant.window] ?? 0,
    });
  const standsOut =
    significant.window >= 0 &&
    significant.lnP <= lnSignificantFor(gates, unusual.score, tuning.product) &&
    (gates.score === null || outgrows || unusual.score >= gates.score * (1 + tuning.waveWeight * waves)) &&
    (gates.lnCountingNoise === null || lnCountingNoise(sums, dispersion) <= gates.lnCountingNoise);
  const step = moveEpisode(state, bucket, standsOut, unusual.score, cooldownBuckets, outgrows);
  const window = significant.window >= 0 ? significant.window : unusual.window;
  return {
    bucket,
    step,
    window: JUDGED_WINDOWS[window] ?? 1,
    observed: sums.observed[window] ?? 0,
    expected: sums.expected[window] ?? 0,
    lnP: significant.lnP,
    score: unusual.score,
    completeness: sums.completeness[window] ?? 1,
  };
}

/** Learns every bucket that is complete, at the latest when it can receive no more mentions. */
function learnComplete(
  state: SpikeState,
  bucket: number,
  { tuning = TUNING, zone = "UTC" }: SpikeSettings,
): void {
  const arrived = arrivedShares(state);
  for (let next = mark(state, MARK.toLearn); next <= bucket; next++) {
    const age = bucket - next;
    const share = arrived === undefined ? 1 : (arrived[age] ?? 1);
    if (share < COMPLETE_SHARE && age < OLDEST_LATE_BUCKET) break;
    learnBucket(state, next, tuning, zone);
    state.numbers[AT.marks + MARK.toLearn] = next + 1;
  }
}
