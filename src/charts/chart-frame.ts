import type { Instant } from "../lib/instant.ts";
import { countTicks } from "./count-ticks.ts";
import type { SpikeChart } from "./spike-chart.ts";

export const WIDTH = 600;
export const HEIGHT = 340;
/** The area of the bars: text above it, times below it. */
export const PLOT = { left: 64, right: 588, top: 104, bottom: 302 } as const;

/** Maps times and counts to positions in the picture. */
export interface Frame {
  readonly from: Instant;
  readonly to: Instant;
  /** Lines of the vertical axis, and the largest one. */
  readonly counts: readonly number[];
  readonly most: number;
  x(at: Instant): number;
  y(count: number): number;
}

export function frameOf({ columns, columnMs }: SpikeChart): Frame {
  const from = columns[0]?.at ?? 0;
  const to = from + Math.max(1, columns.length) * columnMs;
  // A loop, because Math.max takes a limited number of arguments.
  let [highest, ordinary] = [1, 1];
  for (const column of columns) {
    highest = Math.max(highest, column.count * HEADROOM, column.expected);
    ordinary = Math.max(ordinary, column.ordinary);
  }
  // Counts set the scale. The band of a new series can be a hundred times as high and would flatten every bar.
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

/** Room for the number above the highest bar. */
const HEADROOM = 1.1;

/**
 * The band of a new series is many times as high as its counts, which would become a flat line; so the band may leave
 * the picture. Up to this many mentions it is shown completely.
 */
const FEW = 10;

/** Tenths of a unit: more digits would only make the file longer. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
