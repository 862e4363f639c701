import { countTicks, formatTick } from "#monitor";
import type { Instant } from "../../lib/instant.ts";
import { type Html, html } from "../common/html.ts";

/** A piece of a column: `fill` is a class of the style sheet. Its link, if there is one, shows what it counts. */
interface ColumnPart {
  readonly fill: string;
  readonly n: number;
  readonly href?: string | null;
}

export interface Column {
  readonly from: Instant;
  readonly to: Instant;
  /** What a reader gets who points at it: `Tue 3 Mar: 120 mentions, Acme 80, Rival 40`. */
  readonly text: string;
  readonly axis: string;
  /** From the base line upwards. */
  readonly parts: readonly ColumnPart[];
  /** The same step of the period before; drawn as a mark. */
  readonly before?: number | undefined;
}

const MOST_LABELS = 6;

/**
 * Columns in pieces, drawn in percents, so that they fill any width and letters keep their size. Whoever reads without
 * eyes, mouse or scripts has the table behind it, with the same links: the drawing is hidden from both. `chart.js` adds
 * numbers under the pointer, and dragging.
 */
export function columnChart(id: string, columns: readonly Column[]): Html {
  const tallest = columns.reduce(
    (most, { parts, before = 0 }) =>
      Math.max(
        most,
        before,
        parts.reduce((sum, { n }) => sum + n, 0),
      ),
    0,
  );
  const ticks = countTicks(tallest);
  const top = ticks.at(-1) ?? 1;
  const y = (n: number) => percent(100 - (100 * n) / top);
  const width = 100 / Math.max(1, columns.length);
  const every = Math.ceil(columns.length / MOST_LABELS);
  return html`<svg class="columns" id="${id}" aria-hidden="true">
${ticks.map((tick) => html`<line class="grid" x1="0" x2="100%" y1="${y(tick)}" y2="${y(tick)}"/>`)}
${columns.map((column, n) => drawColumn(column, n * width, width, y))}
${ticks.slice(1).map((tick) => html`<text x="0" y="${y(tick)}" dy="1em">${formatTick(tick, top)}</text>`)}</svg>
<svg class="columns-axis" aria-hidden="true">${columns.map(
    ({ axis }, n) => n % every === 0 && html`<text x="${percent(n * width)}" y="1em">${axis}</text>`,
  )}</svg>`;
}

function drawColumn(
  { from, to, text, parts, before }: Column,
  x: number,
  width: number,
  y: (n: number) => string,
): Html {
  let below = 0;
  // A gap only where columns are wide enough for one on a phone.
  const inner = width > 1.5 ? width * 0.84 : width;
  const pieces = parts.map(({ fill, n, href }) => {
    if (n === 0) return null;
    below += n;
    const piece = html`<rect class="${fill}" x="${percent(x)}" y="${y(below)}" width="${percent(inner)}"
  height="${percent(100 - Number.parseFloat(y(n)))}"/>`;
    return href == null ? piece : html`<a href="${href}" tabindex="-1">${piece}</a>`;
  });
  return html`<g data-from="${from}" data-to="${to}" data-text="${text}"><title>${text}</title><rect class="fill-none" x="${percent(x)}"
  y="0" width="${percent(width)}" height="100%"/>${pieces}${
    before !== undefined &&
    before > 0 &&
    html`<line class="before" x1="${percent(x)}" x2="${percent(x + inner)}" y1="${y(before)}" y2="${y(before)}"/>`
  }</g>`;
}

function percent(value: number): string {
  return `${Number(value.toFixed(3))}%`;
}
