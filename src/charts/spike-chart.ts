import type { Instant } from "../lib/instant.ts";

/** The content of a spike chart: only times and counts, independent of detector and store. */
export interface SpikeChart {
  /** The name of the series, before the title; shortened first if there is no room for both. May hold any text. */
  readonly name?: string;
  /** The message in numbers, in one sentence: "1,698 mentions in 5 min, 85 expected". May hold any text. */
  readonly title: string;
  /** What the bars count, for the legend: "mentions in 5 min". */
  readonly counted: string;
  /** In order of time, all `columnMs` wide, without a gap. */
  readonly columns: readonly ChartColumn[];
  readonly columnMs: number;
  /** Spans of time that fired: a window, or an episode. */
  readonly firing: readonly ChartSpan[];
  /** Times of the notifications. */
  readonly notifiedAt: readonly Instant[];
  /** A note for readers, after the dates. */
  readonly note?: string;
  /** IANA name of the zone of the labels. */
  readonly zone: string;
}

export interface ChartColumn {
  readonly at: Instant;
  readonly count: number;
  readonly expected: number;
  /** The largest count that noise explains; of a longer window the column's part. */
  readonly ordinary: number;
}

export interface ChartSpan {
  readonly from: Instant;
  readonly to: Instant;
}

/** Whether a column overlaps a span that fired. */
export function hasFired({ columnMs, firing }: SpikeChart, { at }: ChartColumn): boolean {
  return firing.some((span) => at < span.to && at + columnMs > span.from);
}
