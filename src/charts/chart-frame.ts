import type { Instant } from "../lib/instant.ts";
import { countTicks } from "./count-ticks.ts";
import type { SpikeChart } from "./spike-chart.ts";

export const WIDTH = 600;
export const HEIGHT = 340;
/** Where the bars stand: above it the words, below it the times. */
export const PLOT = { left: 64, right: 588, top: 104, bottom: 302 } as const;

/** Where moments and counts are in the picture. */
export interface Frame {
  readonly from: Instant;
  readonly to: Instant;
  /** Lines of the vertical axis, and the largest of them. */
  readonly counts: readonly number[];
  readonly most: number;
  x(at: Instant): number;
  y(count: number): number;
}

export function frameOf({ columns, columnMs }: SpikeChart): Frame {
  const from = columns[0]?.at ?? 0;
  const to = from + Math.max(1, columns.length) * columnMs;
  // One at a time: a call takes only so many arguments.
  let [highest, ordinary] = [1, 1];
  for (const column of columns) {
    highest = Math.max(highest, column.count * HEADROOM, column.expected);
    ordinary = Math.max(ordinary, column.ordinary);
  }
  // Counts set the scale. The band of a new series is a hundred times as high, and would flatten every bar.
  const counts = countTicks(Math.max(highest, Math.min(ordinary, Math.max(2 * highest, FEW))));
  const most = counts.at(-1) ?? 1;
  return {
    from,
    to,
    counts,
    most,
    x: (at) => round(PLOT.left + ((at - from) / (to - from)) * (PLOT.right - PLOT.left)),
    y: (count) => round(PLOT.bottom - (Math.min(Math.max(0, count), most) / most) * (PLOT.bottom - PLOT.top)),
  };
}

/** The number of the highest bar stands above it. */
const HEADROOM = 1.1;

/**
 * The band of a series that is hardly known is many times as high as its counts, which would be a line on the ground; it
 * may leave the picture there. Up to so many mentions it is shown whole.
 */
const FEW = 10;

/** Tenths of a unit: more digits would only make the file longer. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
