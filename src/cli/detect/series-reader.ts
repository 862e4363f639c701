import { DAY, type Instant, toIso } from "../../lib/instant.ts";
import { BUCKET_MS } from "../../spike/constants.ts";
import {
  closeBucket,
  type LateCount,
  type SpikeObservation,
  type SpikeSettings,
} from "../../spike/detector.ts";
import { newestWithMentions } from "../../spike/peak.ts";
import { createSpikeState, type SpikeState } from "../../spike/spike-state.ts";

/** The rows of one series, in order, each bucket closed when a row of a later one is seen. */
export interface SeriesReader {
  readonly name: string;
  /** The fault of the row, if it has one. */
  read(timestamp: string, arrived: string, value: string): string | undefined;
  /** Alert lines since the last call. */
  takeLines(): string;
  /** Closes the last bucket. */
  end(): string;
}

/** Every bucket of a pause is closed, so a year that is mistyped would take hours. */
const LONGEST_PAUSE = 2 * 366 * DAY;

/**
 * Every series begins with an empty memory of lateness too: rows of one series follow those of another in the file but
 * not in time, and no series may learn from what happened to another one later. `see` is called for every bucket.
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
      // Mentions that are taken back come later than they were made.
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

/** A time without a zone is UTC, whatever the clock of this machine shows. NaN for anything but a date with a time. */
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

/** Four digits: more would promise what the model cannot hold. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
