import type { Instant } from "../../lib/instant.ts";

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

/** `page` takes its colours from the style sheet of the page, so that one drawing serves light and dark. */
export const THEMES = ["light", "dark", "page"] as const;
export type Theme = (typeof THEMES)[number];

export interface Palette {
  readonly ground: string;
  readonly text: string;
  readonly faint: string;
  readonly grid: string;
  readonly count: string;
  readonly firing: string;
  readonly expected: string;
  readonly ordinary: string;
  readonly highlight: string;
}

export function paletteOf(theme: Theme): Palette {
  if (theme === "page") return PAGE;
  return theme === "light" ? LIGHT : DARK;
}

/**
 * Orange against blue and grey, from the set of Okabe and Ito, which people with any colour vision can distinguish; the
 * lightness differs too, for grey prints.
 */
const LIGHT: Palette = {
  ground: "#ffffff",
  text: "#1a1f26",
  faint: "#59636e",
  grid: "#dfe3e8",
  count: "#8397ab",
  firing: "#d55e00",
  expected: "#00507d",
  ordinary: "#dbe7f0",
  highlight: "#fdeee0",
};

const DARK: Palette = {
  ground: "#14181d",
  text: "#f0f3f6",
  faint: "#a3adb8",
  grid: "#333b44",
  count: "#74879a",
  firing: "#ffa02e",
  expected: "#7cc7f2",
  ordinary: "#25384a",
  highlight: "#3a2a17",
};

const PAGE = Object.fromEntries(
  Object.entries(LIGHT).map(([name, colour]) => [name, `var(--chart-${name}, ${colour})`]),
) as Record<keyof Palette, string>;
