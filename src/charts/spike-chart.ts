import type { Instant } from "../lib/instant.ts";

/** What a picture of a spike shows. Times and counts only: the drawing knows no detector and no store. */
export interface SpikeChart {
  /** Whose counts they are, before the title; shortened first where there is no room for both. May hold any text. */
  readonly name?: string;
  /** The message in numbers, in one sentence: "1,698 mentions in 5 min, 85 expected". May hold any text. */
  readonly title: string;
  /** What the bars count, for the legend: "mentions in 5 min". */
  readonly counted: string;
  /** In order of time, all `columnMs` wide, without a gap. */
  readonly columns: readonly ChartColumn[];
  readonly columnMs: number;
  /** Spans of time that fired: a window, or an incident. */
  readonly firing: readonly ChartSpan[];
  /** Moments at which people were told. */
  readonly notifiedAt: readonly Instant[];
  /** What else there is to know to read it, behind the dates. */
  readonly note?: string;
  /** IANA name of the zone of the labels. */
  readonly zone: string;
}

export interface ChartColumn {
  readonly at: Instant;
  readonly count: number;
  readonly expected: number;
  /** The largest count that ordinary noise explains; of a longer window its part. */
  readonly ordinary: number;
}

export interface ChartSpan {
  readonly from: Instant;
  readonly to: Instant;
}

/** Whether some of a column belongs to what fired. */
export function hasFired({ columnMs, firing }: SpikeChart, { at }: ChartColumn): boolean {
  return firing.some((span) => at < span.to && at + columnMs > span.from);
}
