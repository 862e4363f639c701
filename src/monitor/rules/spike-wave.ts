import type { RenotifyReason } from "../model/alert.ts";
import { RING, WINDOWS } from "./spike/constants.ts";
import type { SpikeObservation } from "./spike/detector.ts";
import type { SpikeMoment } from "./spike/episode.ts";
import type { SpikeState } from "./spike/spike-state.ts";
import { type WindowSums, windowSums } from "./spike/window-sums.ts";

/** An open spike as last sent: its strongest moment, and its height at the last notification. */
export type SpikeWave = {
  readonly moment: Pick<SpikeMoment, keyof SpikeMoment>;
  /** Mentions above the expectation, per bucket, in the densest window. */
  readonly notifiedRate: number;
  /** Consecutive buckets in which it had nearly ended; kept until the next notification. */
  readonly lull: number;
  /** The window of the first moment, as an index into WINDOWS; later moments are compared in the same window. */
  readonly steady?: number;
  /** The bucket at which people were last notified. */
  readonly notifiedAt?: number;
  /** The count in the steady window when people were last notified. */
  readonly notifiedCount?: number;
  readonly peak?: SpikePeak;
};

/** The window of an open spike that holds most mentions, as wide as its first one. */
export type SpikePeak = {
  /** Its last bucket, and the bucket in which the spike opened. */
  readonly bucket: number;
  readonly opened: number;
  readonly observed: number;
  readonly expected: number;
};

/** The highest window since the spike opened. Counts of the last hours are read again: mentions arrive late, and leave. */
export function highestWindow(
  state: SpikeState,
  newest: number,
  place: number,
  before: SpikePeak | undefined,
): SpikePeak {
  const width = WINDOWS[place] ?? 1;
  const opened = before?.opened ?? newest;
  const at = (bucket: number): SpikePeak => {
    const { observed, expected } = windowSums(state, bucket);
    return { bucket, opened, observed: observed[place] ?? 0, expected: expected[place] ?? 0 };
  };
  const oldest = Math.max(opened, newest - RING + width);
  // A window that is counted again may also have lost mentions.
  let highest = before === undefined || before.bucket < oldest ? (before ?? at(newest)) : at(before.bucket);
  for (let bucket = newest; bucket >= oldest; bucket--) {
    const found = at(bucket);
    if (found.observed > highest.observed) highest = found;
  }
  return highest;
}

/** Three buckets: a single one doubles by chance. */
const STEADY_WINDOW = 1;
const LULL_BUCKETS = 6;
const LEAST_GAP_BUCKETS = 3;
const LARGER = 1.25;

/**
 * Follows an open spike by its counts. The detector's own score shows growth too late: the episode itself raises the
 * usual variation that it is measured in, so ten times as many mentions may score less than the first ones.
 */
export function followWave(
  before: SpikeWave | undefined,
  { step, ...now }: SpikeObservation,
  sums: WindowSums,
  isNewWave: boolean,
): { readonly wave: SpikeWave; readonly renotify?: RenotifyReason } {
  const highest = Math.max(...WINDOWS.map((_, window) => rateOf(sums, window)));
  if (before === undefined || step === "opened") {
    return {
      wave: {
        moment: now,
        notifiedRate: Math.max(highest, LEAST_RATE),
        lull: 0,
        steady: placeOf(now),
        notifiedAt: now.bucket,
        notifiedCount: sums.observed[placeOf(now)] ?? 0,
      },
    };
  }
  const rate = rateOf(sums, STEADY_WINDOW);
  const isLow = rate < before.notifiedRate / 4;
  const lull = isLow || before.lull >= LULL_BUCKETS ? before.lull + 1 : 0;
  // In the first minutes of a crisis every check finds twice as many: one message per quarter of an hour is enough.
  const isSoon = now.bucket - (before.notifiedAt ?? Number.NEGATIVE_INFINITY) < LEAST_GAP_BUCKETS;
  const count = sums.observed[before.steady ?? 0] ?? 0;
  // The score may double while the counts fall: people were notified of more already.
  const hasGrown = count > (before.notifiedCount ?? 0);
  const reason = isSoon ? undefined : reasonToRenotify(before, rate, step, isNewWave);
  const renotify = reason === "Doubled" && !hasGrown ? undefined : reason;
  if (renotify === undefined) return { wave: { ...before, moment: stronger(before.moment, now), lull } };
  // A new notification describes the current moment: the least likely one may be long ago.
  return {
    wave: {
      ...before,
      moment: now,
      notifiedRate: Math.max(highest, LEAST_RATE),
      lull: 0,
      notifiedAt: now.bucket,
      notifiedCount: count,
    },
    renotify,
  };
}

/** Sparse series are judged in a window longer than all these. */
function placeOf({ window }: SpikeObservation | SpikeMoment): number {
  const place = WINDOWS.findIndex((width) => width >= window);
  return place === -1 ? WINDOWS.length - 1 : place;
}

/** A spike that is still high after a cooldown is no news: the route sends reminders. */
function reasonToRenotify(
  { notifiedRate, lull }: SpikeWave,
  rate: number,
  step: SpikeObservation["step"],
  isNewWave: boolean,
): RenotifyReason | undefined {
  const hadGone = lull >= LULL_BUCKETS;
  // More than the notified height itself would vary by chance.
  const width = WINDOWS[STEADY_WINDOW] ?? 1;
  const isClear = (rate - notifiedRate) * width >= 3 * Math.sqrt(notifiedRate * width);
  if (isClear && rate >= (hadGone ? LARGER : 2) * notifiedRate) return hadGone ? "NewWave" : "Doubled";
  if (step === "renewed" && isNewWave) return "NewWave";
  return step === "escalated" ? "Doubled" : undefined;
}

function rateOf({ observed, expected }: WindowSums, window: number): number {
  return ((observed[window] ?? 0) - (expected[window] ?? 0)) / (WINDOWS[window] ?? 1);
}

const LEAST_RATE = 0.5;

/** The less likely one, or the one with more mentions in the same time. */
function stronger(a: SpikeWave["moment"], b: SpikeWave["moment"]): SpikeWave["moment"] {
  return b.lnP < a.lnP || (b.window === a.window && b.observed > a.observed) ? b : a;
}
