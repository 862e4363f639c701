import { formatNumber } from "../lib/format-number.ts";
import { type Frame, PLOT } from "./chart-frame.ts";
import type { Palette } from "./palette.ts";
import { placeLabels } from "./place-labels.ts";
import { type ChartColumn, hasFired, type SpikeChart } from "./spike-chart.ts";

/**
 * Draws the number above the highest bar that fired: of each span if they are few, else of the highest one. An alert on
 * absence has no peak.
 */
export function drawPeaks(chart: SpikeChart, frame: Frame, palette: Palette): string[] {
  const spans = chart.firing.length <= MOST_NAMED ? chart.firing.map((span) => [span]) : [chart.firing];
  const peaks = spans.flatMap((firing) => highestFired({ ...chart, firing }));
  const labels = peaks
    .sort((a, b) => b.count - a.count)
    .map(({ at, count }) => ({
      x: frame.x(at + chart.columnMs / 2),
      y: Math.max(PLOT.top + 10, frame.y(count) - 5),
      label: formatNumber(count),
    }));
  // The background around the letters separates them from the line of the moment.
  return placeLabels(labels).map(
    ({ x, y, label }) =>
      `<text x="${x}" y="${y}" text-anchor="middle" font-size="14" font-weight="bold" fill="${palette.text}" stroke="${palette.ground}" stroke-width="4" stroke-linejoin="round" paint-order="stroke">${label}</text>`,
  );
}

const MOST_NAMED = 3;

function highestFired(chart: SpikeChart): readonly ChartColumn[] {
  let highest: ChartColumn | undefined;
  for (const column of chart.columns) {
    if (column.count <= column.expected || !hasFired(chart, column)) continue;
    if (highest === undefined || column.count > highest.count) highest = column;
  }
  return highest === undefined ? [] : [highest];
}
