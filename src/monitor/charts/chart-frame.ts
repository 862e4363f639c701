import { DateTime } from "luxon";
import { DAY, HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import { formatNumber } from "../../lib/numbers.ts";
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

/** Round numbers from 0 to at least `largest`, three to five of them: the lines of the vertical axis. */
export function countTicks(largest: number): readonly number[] {
  const step = roundStep(Math.max(largest, 1) / 4);
  const ticks = [0];
  for (let i = 1; (ticks.at(-1) ?? 0) < largest || i === 1; i++) ticks.push(i * step);
  return ticks;
}

/** `20`, `15,000`; `1.5M` on an axis without room for its largest number. */
export function formatTick(count: number, largest: number): string {
  return largest < 100_000 ? formatNumber(count) : COMPACT.format(count).replace("K", "k");
}

const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** The next of 1, 2, 5, 10, 20, 50 …: mentions come whole. */
function roundStep(least: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}

interface TimeTick {
  readonly at: Instant;
  readonly label: string;
}

/** Round moments of `zone` in [from, to): times of the day, with the date at midnight; days where the span is long. */
export function timeTicks(from: Instant, to: Instant, zone: string, atMost: number): readonly TimeTick[] {
  const days = Math.ceil((to - from) / DAY / atMost);
  const step = STEPS.find((ms) => (to - from) / ms <= atMost);
  const ticks: TimeTick[] = [];
  const midnight = DateTime.fromMillis(from, { zone, locale: "en" }).startOf("day");
  for (let day = midnight; day.toMillis() < to; day = day.plus({ days: step === undefined ? days : 1 })) {
    for (const tick of step === undefined ? [day] : timesOf(day, step)) {
      const at = tick.toMillis();
      if (at < from || at >= to) continue;
      ticks.push({ at, label: tick.toFormat(labelFormat(tick, step)) });
    }
  }
  return ticks;
}

const STEPS = [5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];

/** In local time, so that ticks stay round when clocks change. */
function timesOf(day: DateTime, step: number): DateTime[] {
  const times: DateTime[] = [];
  for (let ms = 0; ms < DAY; ms += step) {
    const tick = day.set({ hour: Math.floor(ms / HOUR), minute: (ms % HOUR) / MINUTE });
    // A time that the clocks skip becomes another, which is not round.
    if (tick.hour === Math.floor(ms / HOUR)) times.push(tick);
  }
  return times;
}

function labelFormat(tick: DateTime, step: number | undefined): string {
  if (step === undefined) return "d LLL";
  return tick.hour === 0 && tick.minute === 0 ? "ccc d LLL" : "HH:mm";
}
