import { DateTime } from "luxon";
import type { Instant } from "../lib/instant.ts";
import { spellNumber } from "../lib/spell-number.ts";
import { countTicks } from "./count-ticks.ts";
import { escapeXml } from "./escape-xml.ts";
import { type Palette, paletteOf, type Theme } from "./palette.ts";
import type { ChartColumn, SpikeChart } from "./spike-chart.ts";
import { timeTicks } from "./time-ticks.ts";

/**
 * The chart as SVG, 600 by 340 units, which keeps its letters readable when a phone shows it half as wide. Bars are
 * counts, those that fired in another colour on a shaded ground; the line is what was expected, and the band below it
 * ends where ordinary noise ends. Every text is escaped; nothing in it is loaded or run.
 */
export function drawSpikeChart(chart: SpikeChart, theme: Theme): string {
  const palette = paletteOf(theme);
  const frame = frameOf(chart);
  const title = escapeXml(chart.title);
  const note = chart.note === undefined ? "" : `, ${chart.note}`;
  const about = escapeXml(`${spellSpan(chart, frame)}, times in ${chart.zone}${note}`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="DejaVu Sans, Verdana, sans-serif">`,
    `<title>${title}</title><desc>${about}</desc>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="${palette.ground}"/>`,
    ...drawHead(chart, about, palette),
    ...drawFiring(chart, frame, palette),
    ...drawGrid(chart, frame, palette),
    ...drawCounts(chart, frame, palette),
    ...drawTold(chart, frame, palette),
    "</svg>",
  ].join("\n");
}

const WIDTH = 600;
const HEIGHT = 340;
const PLOT = { left: 64, right: 588, top: 104, bottom: 302 } as const;

interface Frame {
  readonly from: Instant;
  readonly to: Instant;
  readonly counts: readonly number[];
  x(at: Instant): number;
  y(count: number): number;
}

function frameOf({ columns, columnMs }: SpikeChart): Frame {
  const from = columns[0]?.at ?? 0;
  const to = from + Math.max(1, columns.length) * columnMs;
  const counts = countTicks(Math.max(...columns.map(({ count, ordinary }) => Math.max(count, ordinary)), 1));
  const most = counts.at(-1) ?? 1;
  return {
    from,
    to,
    counts,
    x: (at) => round(PLOT.left + ((at - from) / (to - from)) * (PLOT.right - PLOT.left)),
    y: (count) => round(PLOT.bottom - (Math.max(0, count) / most) * (PLOT.bottom - PLOT.top)),
  };
}

function drawHead(chart: SpikeChart, about: string, palette: Palette): string[] {
  // Bold letters of this size are about 13 units wide; a longer title is told in smaller ones, and cut at last.
  const size = Math.max(13, Math.min(20, Math.floor(900 / Math.max(1, chart.title.length))));
  const longest = Math.floor(900 / size);
  const title = chart.title.length > longest ? `${chart.title.slice(0, longest - 1)}…` : chart.title;
  return [
    `<text x="12" y="30" font-size="${size}" font-weight="bold" fill="${palette.text}">${escapeXml(title)}</text>`,
    `<text x="12" y="53" font-size="${Math.min(14, round(950 / about.length))}" fill="${palette.faint}">${about}</text>`,
    ...drawLegend(chart, palette),
  ];
}

function drawLegend({ counted, firing }: SpikeChart, palette: Palette): string[] {
  const bar = (colour: string) => (x: number) =>
    `<rect x="${x + 4}" y="68" width="6" height="14" fill="${colour}"/><rect x="${x + 12}" y="72" width="6" height="10" fill="${colour}"/>`;
  const entries: readonly (readonly [string, (x: number) => string])[] = [
    [counted.length > 28 ? `${counted.slice(0, 27)}…` : counted, bar(palette.count)],
    ...(firing.length > 0 ? [["fired", bar(palette.firing)] as const] : []),
    ["expected", (x) => `<path d="M${x} 75h20" stroke="${palette.expected}" stroke-width="3"/>`],
    ["ordinary", (x) => `<rect x="${x}" y="68" width="20" height="14" fill="${palette.ordinary}"/>`],
  ];
  const drawn: string[] = [];
  let x = 12;
  for (const [label, sign] of entries) {
    drawn.push(sign(x), `<text x="${x + 26}" y="80">${escapeXml(label)}</text>`);
    x += 26 + Math.ceil(label.length * LETTER) + 14;
  }
  return [`<g font-size="14" fill="${palette.text}">`, ...drawn, "</g>"];
}

/** A letter of 14 units is about this wide. */
const LETTER = 8.6;

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
    return `<path d="M${PLOT.left} ${y}H${PLOT.right}" stroke="${palette.grid}"/><text x="${PLOT.left - 7}" y="${y + 5}" text-anchor="end">${spellNumber(count)}</text>`;
  });
  const times = timeTicks(frame.from, frame.to, chart.zone, 6).map(({ at, label }) => {
    const x = frame.x(at);
    const anchor = x < PLOT.left + 24 ? "start" : x > PLOT.right - 30 ? "end" : "middle";
    return `<path d="M${x} ${PLOT.bottom}v6" stroke="${palette.faint}"/><text x="${x}" y="${PLOT.bottom + 22}" text-anchor="${anchor}">${escapeXml(label)}</text>`;
  });
  return [`<g font-size="14" fill="${palette.faint}">`, ...rows, ...times, "</g>"];
}

function drawCounts(chart: SpikeChart, frame: Frame, palette: Palette): string[] {
  const { columns, columnMs, firing } = chart;
  const fired = ({ at }: ChartColumn): boolean =>
    firing.some((span) => at < span.to && at + columnMs > span.from);
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
      // Wide bars stand apart; narrow ones touch, because gaps thinner than a dot make stripes.
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

/** A mark of its own shape, so that the moment is found without any colour; a line down while there are few. */
function drawTold({ told }: SpikeChart, { x, from, to }: Frame, palette: Palette): string[] {
  const shown = told.filter((at) => at >= from && at <= to).map(x);
  return shown.flatMap((here) => [
    `<path d="M${here} ${PLOT.top}l-6 -11h12Z" fill="${palette.firing}" stroke="${palette.ground}"/>`,
    ...(shown.length > 3
      ? []
      : [
          `<path d="M${here} ${PLOT.top}V${PLOT.bottom}" stroke="${palette.firing}" stroke-dasharray="3 4"/>`,
        ]),
  ]);
}

/** `Tue 3 Mar 2015, 15:05 to 21:05`, or two dates. */
function spellSpan({ zone }: SpikeChart, { from, to }: Frame): string {
  const [start, end] = [from, to].map((at) => DateTime.fromMillis(at, { zone, locale: "en" }));
  if (start === undefined || end === undefined) return "";
  if (end.diff(start, "days").days > 3) return `${start.toFormat("d LLL")} to ${end.toFormat("d LLL yyyy")}`;
  const sameDay = start.hasSame(end, "day");
  return `${start.toFormat("ccc d LLL yyyy, HH:mm")} to ${end.toFormat(sameDay ? "HH:mm" : "ccc d LLL, HH:mm")}`;
}

/** Tenths of a unit: more digits would only make the file longer. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
