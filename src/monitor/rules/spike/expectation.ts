import { DAY, HOUR, type Instant } from "../../../lib/instant.ts";
import { offsetAt } from "../../../lib/local-time.ts";
import { BUCKET_MS } from "../../model/judging.ts";
import {
  FADING,
  HOUR_BINS,
  LAG_EDGES,
  LEAST_EXPECTED,
  OLDEST_LATE_BUCKET,
  PROFILE_SHRINKAGE,
  PUNCTUAL_PRIOR,
} from "./constants.ts";
import { AT, type SpikeState } from "./spike-state.ts";

export interface Expectation {
  /** Usual mentions per bucket, without the effect of the hour of the week. */
  readonly level: number;
  /** The factor of this hour of the week against the average hour. */
  readonly season: number;
  /** Mentions expected in this bucket. */
  readonly mean: number;
}

/**
 * The expected count of a bucket, from everything learned so far. Hours and weekends are those of `zone`, because
 * people follow the local clock.
 */
export function expectedCount(state: SpikeState, bucket: number, zone = "UTC"): Expectation {
  const at = localTime(state, bucket, zone);
  const hour = Math.floor(at / HOUR) % 24;
  const weekend = isWeekend(at) ? 24 : 0;
  const passed = (at % HOUR) / HOUR;
  const neighbour = passed >= 0.5 ? (hour + 1) % 24 : (hour + 23) % 24;
  const weight = Math.abs(passed - 0.5);
  const season = (1 - weight) * profile(state, hour + weekend) + weight * profile(state, neighbour + weekend);
  const level = usualLevel(state);
  return { level, season, mean: Math.max(level * season, LEAST_EXPECTED) };
}

/**
 * The least expected count of a bucket, for rules on absence. It is the least of the hour before, its own hour and the
 * one after, each from its own counts, because the minute at which a query gets busy is unknown, and clocks change. An
 * hour that was never seen, as on the first weekend, expects nothing.
 */
export function leastExpectedCount(state: SpikeState, bucket: number, zone = "UTC"): number {
  const { level, season } = expectedCount(state, bucket, zone);
  const hours = [-1, 0, 1].map((hour) =>
    ownProfile(state, hourBin(state, bucket + hour * HOUR_BUCKETS, zone)),
  );
  return level * Math.min(season, ...hours);
}

/** One hour's factor from its own counts. */
function ownProfile(state: SpikeState, bin: number): number {
  const levels = state.numbers[AT.hourLevels + bin] ?? 0;
  return levels <= 0 ? 0 : Math.max(0, state.numbers[AT.hourCounts + bin] ?? 0) / levels;
}

const HOUR_BUCKETS = HOUR / BUCKET_MS;

/** The bin of the hour profile that a bucket teaches. */
export function hourBin(state: SpikeState, bucket: number, zone = "UTC"): number {
  const at = localTime(state, bucket, zone);
  return (Math.floor(at / HOUR) % 24) + (isWeekend(at) ? 24 : 0);
}

/** The local time of `zone`, as if it were UTC. */
function localTime({ startAt }: SpikeState, bucket: number, zone: string): Instant {
  const at = startAt + bucket * BUCKET_MS;
  return at + offsetAt(at, zone);
}

/**
 * Moves the learned hours from one zone to another, by their offset at `at`. Otherwise a query whose zone becomes known
 * or changes would mistake its evening for its morning for weeks. Hours that move to another day keep their kind of
 * day, which is wrong only for a Friday or Monday.
 */
export function turnHours({ numbers }: SpikeState, from: string, to: string, at: Instant): void {
  if (from === to) return;
  const turn = Math.round((offsetAt(at, to) - offsetAt(at, from)) / HOUR);
  if (turn === 0) return;
  for (const place of [AT.hourCounts, AT.hourLevels]) {
    const before = numbers.slice(place, place + HOUR_BINS);
    for (let hour = 0; hour < 24; hour++) {
      const past = hour - turn;
      const bin = (past + 48) % 24;
      const [workday, weekend] = [before[bin] ?? 0, before[bin + 24] ?? 0];
      const isSameDay = past >= 0 && past < 24;
      numbers[place + hour] = isSameDay ? workday : (4 / 5) * workday + weekend / 2;
      numbers[place + hour + 24] = isSameDay ? weekend : workday / 5 + weekend / 2;
    }
  }
}

/** Usual mentions per bucket at any hour. */
export function usualLevel(state: SpikeState): number {
  const counts = state.numbers[AT.level] ?? 0;
  const seasons = state.numbers[AT.level + 1] ?? 0;
  if (seasons === 0) return Math.max(0, state.numbers[AT.counts] ?? 0) + 0.5;
  return (counts + 0.5) / (seasons + 1);
}

/** One hour's factor, drawn towards the same hour of all days, which is drawn towards 1. */
function profile(state: SpikeState, bin: number): number {
  const other = bin < 24 ? bin + 24 : bin - 24;
  const counts = state.numbers[AT.hourCounts + bin] ?? 0;
  const levels = state.numbers[AT.hourLevels + bin] ?? 0;
  const pool =
    (counts + (state.numbers[AT.hourCounts + other] ?? 0) + PROFILE_SHRINKAGE) /
    (levels + (state.numbers[AT.hourLevels + other] ?? 0) + PROFILE_SHRINKAGE);
  return (counts + PROFILE_SHRINKAGE * pool) / (levels + PROFILE_SHRINKAGE);
}

/** Saturday or Sunday. The first of January 1970 was a Thursday. */
function isWeekend(at: number): boolean {
  const weekday = (Math.floor(at / DAY) + 4) % 7;
  return weekday === 0 || weekday === 6;
}

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
function binOfLag(lag: number): number {
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
