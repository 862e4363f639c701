import { formatNumber } from "../../lib/numbers.ts";
import { type Frame, formatTick, frameOf, HEIGHT, PLOT, round, timeTicks, WIDTH } from "./chart-frame.ts";
import { drawHead, escapeXml, formatSpan } from "./draw-head.ts";
import {
  type ChartColumn,
  hasFired,
  type Palette,
  paletteOf,
  type SpikeChart,
  type Theme,
} from "./spike-chart.ts";

/**
 * The chart as SVG, 600 by 340 units, which keeps its letters readable when a phone shows it half as wide. Bars are
 * counts, those that fired in another colour on a shaded ground and with the number of the highest; the line is what was
 * expected, and the band below it ends where ordinary noise ends. Every text is escaped; nothing in it is loaded or run.
 * It is written without a chart library: one chart, and the same one in email, Slack and the console.
 */
export function drawSpikeChart(chart: SpikeChart, theme: Theme): string {
  const palette = paletteOf(theme);
  const frame = frameOf(chart);
  const title = chart.name === undefined ? chart.title : `${chart.name}: ${chart.title}`;
  const about = formatSpan(chart, frame);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="DejaVu Sans, Verdana, sans-serif">`,
    `<title>${escapeXml(title)}</title><desc>${escapeXml(about)}</desc>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="${palette.ground}"/>`,
    ...drawHead(chart, about, theme),
    ...drawFiring(chart, frame, palette),
    ...drawGrid(chart, frame, palette),
    ...drawCounts(chart, frame, palette),
    ...drawNotified(chart, frame, palette),
    ...drawPeaks(chart, frame, palette),
    "</svg>",
  ].join("\n");
}

function drawFiring({ firing }: SpikeChart, { x, from, to }: Frame, palette: Palette): string[] {
  return firing
    .filter((span) => span.to > from && span.from < to)
    .map((span) => {
      const left = x(Math.max(span.from, from));
      const width = Math.max(2, round(x(Math.min(span.to, to)) - left));
      return `<rect x="${left}" y="${PLOT.top}" width="${width}" height="${PLOT.bottom - PLOT.top}" fill="${palette.highlight}"/>`;
    });
}

function drawGrid(chart: SpikeChart, frame: Frame, palette: Palette): string[] {
  const rows = frame.counts.map((count) => {
    const y = frame.y(count);
    return `<path d="M${PLOT.left} ${y}H${PLOT.right}" stroke="${palette.grid}"/><text x="${PLOT.left - 7}" y="${y + 5}" text-anchor="end">${formatTick(count, frame.most)}</text>`;
  });
  const ticks = timeTicks(frame.from, frame.to, chart.zone, 6).map(({ at, label }) => ({
    x: frame.x(at),
    label,
  }));
  const marks = ticks.map(({ x }) => `<path d="M${x} ${PLOT.bottom}v6" stroke="${palette.faint}"/>`);
  // If there is no room for two labels, keep the longer one: it is the date, which the times need.
  const times = placeLabels([...ticks].sort((a, b) => b.label.length - a.label.length)).map(
    ({ x, label }) =>
      `<text x="${x}" y="${PLOT.bottom + 22}" text-anchor="middle">${escapeXml(label)}</text>`,
  );
  return [`<g font-size="14" fill="${palette.faint}">`, ...rows, ...marks, ...times, "</g>"];
}

function drawCounts(chart: SpikeChart, frame: Frame, palette: Palette): string[] {
  const { columns, columnMs } = chart;
  const fired = (column: ChartColumn): boolean => hasFired(chart, column);
  return [
    `<path d="${area(columns, columnMs, frame)}" fill="${palette.ordinary}"/>`,
    `<path d="${bars(
      columns.filter((column) => !fired(column)),
      columnMs,
      frame,
    )}" fill="${palette.count}"/>`,
    `<path d="${bars(columns.filter(fired), columnMs, frame)}" fill="${palette.firing}"/>`,
    `<path d="${steps(columns, columnMs, frame)}" fill="none" stroke="${palette.expected}" stroke-width="2" stroke-linejoin="round"/>`,
    `<path d="M${PLOT.left} ${PLOT.bottom}H${PLOT.right}" stroke="${palette.faint}"/>`,
  ];
}

function bars(columns: readonly ChartColumn[], columnMs: number, { x, y }: Frame): string {
  return columns
    .filter(({ count }) => count > 0)
    .map(({ at, count }) => {
      const left = x(at);
      const right = x(at + columnMs);
      // Wide bars have gaps; narrow ones touch, because gaps thinner than a pixel make stripes.
      const gap = right - left > 4 ? 1 : 0;
      return `M${left} ${PLOT.bottom}V${y(count)}H${round(right - gap)}V${PLOT.bottom}Z`;
    })
    .join("");
}

function steps(columns: readonly ChartColumn[], columnMs: number, { x, y }: Frame): string {
  return columns
    .map(({ at, expected }, i) => `${i === 0 ? "M" : "L"}${x(at + columnMs / 2)} ${y(expected)}`)
    .join("");
}

function area(columns: readonly ChartColumn[], columnMs: number, { x, y, from, to }: Frame): string {
  const edge = columns.map(({ at, ordinary }) => `L${x(at)} ${y(ordinary)}H${x(at + columnMs)}`).join("");
  return `M${x(from)} ${PLOT.bottom}${edge}L${x(to)} ${PLOT.bottom}Z`;
}

/** A mark with its own shape, so that the moment is visible without colour; with a line down if there are few. */
function drawNotified({ notifiedAt }: SpikeChart, { x, from, to }: Frame, palette: Palette): string[] {
  const shown = notifiedAt.filter((at) => at >= from && at <= to).map(x);
  return shown.flatMap((here) => [
    `<path d="M${here} ${PLOT.top}l-6 -11h12Z" fill="${palette.firing}" stroke="${palette.ground}"/>`,
    ...(shown.length > 3
      ? []
      : [
          `<path d="M${here} ${PLOT.top}V${PLOT.bottom}" stroke="${palette.firing}" stroke-dasharray="3 4"/>`,
        ]),
  ]);
}

/**
 * Draws the number above the highest bar that fired: of each span if they are few, else of the highest one. An alert on
 * absence has no peak.
 */
function drawPeaks(chart: SpikeChart, frame: Frame, palette: Palette): string[] {
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

/** A text of 14 units, centred at `x`. */
interface PlacedLabel {
  readonly x: number;
  readonly label: string;
}

/**
 * Returns the labels that have room; earlier ones win. None covers another, and labels at the edges move inside. Extra
 * fields of `Label`, such as the height, are kept.
 */
function placeLabels<Label extends PlacedLabel>(labels: readonly Label[]): readonly Label[] {
  const placed: Label[] = [];
  for (const label of labels) {
    const half = halfWidth(label);
    const x = round(Math.min(Math.max(label.x, EDGE + half), WIDTH - EDGE - half));
    const isFree = placed.every((other) => Math.abs(other.x - x) >= half + halfWidth(other) + GAP);
    if (isFree) placed.push({ ...label, x });
  }
  return placed;
}

const EDGE = 4;
const GAP = 8;

function halfWidth({ label }: PlacedLabel): number {
  return (label.length * LETTER) / 2;
}

/** Wide enough for digits and capitals, the widest characters of labels. */
const LETTER = 8.9;
