import {
  BUCKET_MS,
  closeBucket,
  createSpikeState,
  type LateCount,
  newestWithMentions,
  type SpikeObservation,
  type SpikeSettings,
  type SpikeState,
} from "#monitor";
import { DAY, type Instant, toIso } from "../../lib/instant.ts";

/** Reads the rows of one series in order; closes a bucket when it sees a row of a later one. */
export interface SeriesReader {
  readonly name: string;
  /** Returns the fault of the row, if it has one. */
  read(timestamp: string, arrived: string, value: string): string | undefined;
  /** Alert lines since the last call. */
  takeLines(): string;
  /** Closes the last bucket. */
  end(): string;
}

/** The reader closes every bucket of a pause, so a mistyped year would take hours. */
const LONGEST_PAUSE = 2 * 366 * DAY;

/**
 * Every series starts with no knowledge of late arrivals either: in the file one series follows another, but not in
 * time, and no series may learn from another one's future. Calls `see` for every bucket.
 */
export function createSeriesReader(
  name: string,
  settings: SpikeSettings,
  see: (state: SpikeState, observation: SpikeObservation) => void = () => {},
): SeriesReader {
  let state: SpikeState | undefined;
  let openAt: Instant = 0;
  let arrivals: LateCount[] = [];
  let lines = "";
  let text = "";
  let textAt: Instant = Number.NaN;

  const close = (series: SpikeState): void => {
    const observation = closeBucket(series, arrivals, settings);
    see(series, observation);
    if (observation.step === "opened" || observation.step === "renewed") {
      lines += alertLine(name, series, observation);
    }
    arrivals = [];
    openAt += BUCKET_MS;
  };
  const instantOf = (stamp: string): Instant => {
    if (stamp !== text) {
      textAt = utc(stamp);
      text = stamp;
    }
    return textAt;
  };

  return {
    name,
    read: (timestamp, arrived, value) => {
      const arrivedAt = instantOf(arrived);
      const eventAt = timestamp === arrived ? arrivedAt : utc(timestamp);
      const count = Number(value);
      if (Number.isNaN(arrivedAt) || Number.isNaN(eventAt))
        return "expected times such as 2015-03-03T21:02:53Z";
      // A mention is removed later than it was published.
      const isCount = Number.isSafeInteger(count) && (count >= 0 || arrivedAt > eventAt);
      if (value.trim() === "" || !isCount) return `expected a whole number, got "${value.slice(0, 40)}"`;
      if (state === undefined) {
        state = createSpikeState(arrivedAt);
        openAt = arrivedAt;
      }
      if (arrivedAt < openAt) return "rows of one series have to be in order of time";
      if ((arrivedAt - openAt) % BUCKET_MS !== 0 || (arrivedAt - eventAt) % BUCKET_MS !== 0) {
        return "times have to be a whole number of 5 min buckets apart";
      }
      if (arrivedAt - openAt > LONGEST_PAUSE) {
        return `${toIso(arrivedAt)} is more than two years after the row before; is the year right?`;
      }
      if (eventAt > arrivedAt) return "a mention cannot arrive before it was made";
      while (openAt < arrivedAt) close(state);
      if (count !== 0) arrivals.push({ age: (arrivedAt - eventAt) / BUCKET_MS, count });
      return undefined;
    },
    takeLines: () => {
      const taken = lines;
      lines = "";
      return taken;
    },
    end: () => {
      if (state !== undefined) close(state);
      state = undefined;
      return lines;
    },
  };
}

/** Reads a time; without a zone it is UTC, never this machine's zone. NaN for anything but a date with a time. */
function utc(stamp: string): Instant {
  if (stamp.endsWith("Z")) return Date.parse(stamp);
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(stamp)) return Number.NaN;
  const hasZone = /[+-]\d\d:?\d\d$/.test(stamp.slice(16));
  return Date.parse(`${stamp.replace(" ", "T")}${hasZone ? "" : "Z"}`);
}

function alertLine(name: string, state: SpikeState, observation: SpikeObservation): string {
  const stamp = (bucket: number): string => toIso(state.startAt + bucket * BUCKET_MS).replace(".000Z", "Z");
  return `${JSON.stringify({
    ...(name === "" ? {} : { series: name }),
    timestamp: stamp(observation.bucket),
    event: stamp(newestWithMentions(state, observation.bucket, observation.window)),
    observed: observation.observed,
    expected: rounded(observation.expected),
    p: rounded(Math.exp(observation.lnP)),
    window: `${(observation.window * BUCKET_MS) / 60_000}m`,
    score: rounded(observation.score),
  })}\n`;
}

/** Rounds to four digits: the model is no more precise. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
