import type { LabelledSeries } from "./kit.ts";

// The score of the Numenta Anomaly Benchmark: the first alert of a labelled window earns up to 1, the more the earlier;
// a window without one costs a miss; each alert outside costs the more the farther it is behind the last window.

/** What alerts are worth in one weighting, before it is brought to the scale of 0 to 100. */
export interface RawScore {
  readonly value: number;
  /** Windows that could be hit, and all of them. */
  readonly scored: number;
  readonly windows: number;
}

const WEIGHTS = {
  standard: { miss: 1, falseAlarm: 0.11 },
  lowFP: { miss: 1, falseAlarm: 0.22 },
  lowFN: { miss: 2, falseAlarm: 0.11 },
} as const;
export type Weighting = keyof typeof WEIGHTS;

export function scoreSeries(
  series: LabelledSeries,
  alerts: readonly number[],
  weighting: Weighting,
): RawScore {
  const { miss, falseAlarm } = WEIGHTS[weighting];
  const unscored = probation(series);
  const counted = alerts.filter((bucket) => bucket >= unscored);
  const isInside = (bucket: number): boolean =>
    series.windows.some(([from, to]) => bucket >= from && bucket <= to);
  let value = 0;
  for (const bucket of counted) if (!isInside(bucket)) value += falseAlarm * penalty(series, bucket);
  const scored = series.windows.filter(([, to]) => to >= unscored);
  for (const [from, to] of scored) {
    const first = counted.find((bucket) => bucket >= from && bucket <= to);
    value += first === undefined ? -miss : sigmoid(-(to - first + 1) / (to - from + 1)) / sigmoid(-1);
  }
  return { value, scored: scored.length, windows: series.windows.length };
}

/** 0: nothing was alerted. 100: at once in every window, and nowhere else. */
export function normalized(scores: readonly RawScore[], weighting: Weighting): number {
  const { miss } = WEIGHTS[weighting];
  const sum = (read: (score: RawScore) => number): number =>
    scores.reduce((all, score) => all + read(score), 0);
  const silent = miss * sum(({ scored }) => scored);
  return (100 * (sum(({ value }) => value) + silent)) / (sum(({ windows }) => windows) + silent);
}

/** Buckets at the beginning of a series in which nothing is scored. */
function probation({ counts }: LabelledSeries): number {
  return Math.min(Math.floor(0.15 * counts.length), 750);
}

function penalty({ windows }: LabelledSeries, bucket: number): number {
  const last = windows.findLast(([, to]) => to < bucket);
  return last === undefined ? -1 : sigmoid((bucket - last[1]) / (last[1] - last[0]));
}

function sigmoid(distance: number): number {
  return distance > 3 ? -1 : 2 / (1 + Math.exp(5 * distance)) - 1;
}
