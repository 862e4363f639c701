import {
  CALM_SCORE,
  COMPLETE_SHARE,
  FADING,
  JUDGED_WINDOWS,
  LEARN_DEVIATIONS,
  LEARN_MENTIONS,
  OLDEST_LATE_BUCKET,
  RING,
  WINDOWS,
} from "./constants.ts";
import {
  coolingUntil,
  type EpisodeStep,
  fadeWaves,
  moveEpisode,
  outgrowsLastWave,
  rememberPeak,
  type SpikeMoment,
} from "./episode.ts";
import { arrivedShares, type Expectation, expectedCount, hourBin, learnLags } from "./expectation.ts";
import { lnCountingNoise, significance, type TakesPart, unusualness } from "./gates.ts";
import { factorsOf, type Gates, lnSignificantFor, type SpikeTuning, TUNING } from "./sensitivity.ts";
import { AT, MARK, mark, type SpikeState, toShortFloat } from "./spike-state.ts";
import { type Dispersion, dispersionOf, learnVariation, variance } from "./variation.ts";
import { type WindowSums, windowSums } from "./window-sums.ts";

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
  const { significant, unusual, sums, outgrows, standsOut } = measure(state, bucket, settings);
  const step = moveEpisode(state, bucket, standsOut, unusual.score, settings.cooldownBuckets, outgrows);
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

/** The windows of the newest bucket against the gates, by what was known before it. */
function measure(state: SpikeState, bucket: number, settings: SpikeSettings) {
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
  const lnNeeded = lnSignificantFor(gates, unusual.score, tuning.product);
  const scoreNeeded = gates.score === null || outgrows ? null : gates.score * (1 + tuning.waveWeight * waves);
  const standsOut =
    significant.window >= 0 &&
    significant.lnP <= lnNeeded &&
    (scoreNeeded === null || unusual.score >= scoreNeeded) &&
    (gates.lnCountingNoise === null || lnCountingNoise(sums, dispersion) <= gates.lnCountingNoise);
  return { sums, dispersion, significant, unusual, outgrows, least, lnNeeded, scoreNeeded, standsOut };
}

/** The newest bucket against each gate: what it has, and what it would need. */
export interface GateReport {
  /** The largest count in a window that may fire, and the floor for it. */
  readonly count: number;
  readonly least: number;
  readonly expected: number;
  /** Width of that window in buckets. */
  readonly window: number;
  /** Natural logarithms of chances: of what came, and the gate. Null for what came if no window reached the floor. */
  readonly lnP: number | null;
  readonly lnNeeded: number;
  /** In units of the usual variation. Null where no score is needed. */
  readonly score: number;
  readonly scoreNeeded: number | null;
  /** Logarithms; null where this gate is off. */
  readonly lnNoise: number;
  readonly lnNoiseNeeded: number | null;
  /** Bucket number until which the last notification holds others back; null if none does. */
  readonly coolingUntil: number | null;
  /** Number of this bucket. */
  readonly bucket: number;
}

/** What `closeBucket` would find, gate by gate. It changes the state, so give it one to throw away. */
export function reportGates(
  state: SpikeState,
  arrivals: readonly LateCount[],
  settings: SpikeSettings,
): GateReport {
  const bucket = mark(state, MARK.buckets);
  countArrivals(state, bucket, arrivals);
  state.expected[bucket % RING] = toShortFloat(expectedCount(state, bucket, settings.zone).mean);
  const { sums, dispersion, significant, unusual, outgrows, least, lnNeeded, scoreNeeded } = measure(
    state,
    bucket,
    settings,
  );
  const { takesPart = () => true, cooldownBuckets } = settings;
  let widest = 0;
  for (const [window, width] of JUDGED_WINDOWS.entries()) {
    const isJudged = sums.buckets[window] === width && takesPart(window);
    if (isJudged && (sums.observed[window] ?? 0) > (sums.observed[widest] ?? 0)) widest = window;
  }
  const shown = significant.window >= 0 ? significant.window : widest;
  return {
    bucket,
    count: sums.observed[shown] ?? 0,
    expected: sums.expected[shown] ?? 0,
    window: JUDGED_WINDOWS[shown] ?? 1,
    least,
    lnP: (sums.observed[shown] ?? 0) < least ? null : significant.lnP,
    lnNeeded,
    score: unusual.score,
    scoreNeeded,
    lnNoise: lnCountingNoise(sums, dispersion),
    lnNoiseNeeded: settings.gates.lnCountingNoise,
    coolingUntil: coolingUntil(state, bucket, unusual.score, cooldownBuckets, outgrows),
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

/**
 * Learns one bucket; each once and in order. Computes its expectation now, not when it opened: a new series with late
 * mentions would otherwise be measured for hours against its first guess.
 */
function learnBucket(state: SpikeState, bucket: number, tuning: SpikeTuning, zone: string): void {
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
