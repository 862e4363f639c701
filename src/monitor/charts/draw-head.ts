import { DateTime } from "luxon";
import type { Frame } from "./chart-frame.ts";
import { type Palette, paletteOf, type SpikeChart, type Theme } from "./spike-chart.ts";

/** The title, the dates, and the legend. */
export function drawHead(chart: SpikeChart, about: string, theme: Theme): string[] {
  const palette = paletteOf(theme);
  const { size, text } = fitTitle(chart, theme);
  return [
    `<text x="12" y="30" font-size="${size}" font-weight="bold" fill="${palette.text}">${text}</text>`,
    `<text x="12" y="53" font-size="${Math.min(14, Math.floor(9500 / about.length) / 10)}" fill="${palette.faint}">${drawableText(about, theme)}</text>`,
    ...drawLegend(chart, theme, palette),
  ];
}

/** `Tue 3 Mar 2015, 15:05 to 21:05`, or two dates; then the zone, and the note. */
export function formatSpan({ zone, note }: SpikeChart, { from, to }: Frame): string {
  const start = DateTime.fromMillis(from, { zone, locale: "en" });
  const end = DateTime.fromMillis(to, { zone, locale: "en" });
  const behind = `, times in ${zone}${note === undefined ? "" : `, ${note}`}`;
  if (end.diff(start, "days").days >= 2) {
    const first = start.toFormat(start.hasSame(end, "year") ? "d LLL" : "d LLL yyyy");
    return `${first} to ${end.toFormat("d LLL yyyy")}${behind}`;
  }
  const sameDay = start.hasSame(end, "day");
  return `${start.toFormat("ccc d LLL yyyy, HH:mm")} to ${end.toFormat(sameDay ? "HH:mm" : "ccc d LLL, HH:mm")}${behind}`;
}

/**
 * Bold letters of 20 units are about 14 wide; a longer title gets smaller letters. If it is still too long, the name is
 * cut first, because the numbers are the message.
 */
function fitTitle(chart: SpikeChart, theme: Theme): { readonly size: number; readonly text: string } {
  const [name, title] = [Array.from(chart.name ?? ""), Array.from(chart.title)];
  const length = title.length + (name.length === 0 ? 0 : name.length + 2);
  const size = Math.max(13, Math.min(20, Math.floor(ROOM / Math.max(1, length))));
  const longest = Math.floor(ROOM / size);
  const forName = Math.max(SHORTEST_NAME, longest - title.length - 2);
  const shownName = drawableText(cut(name, forName), theme);
  const shownTitle = drawableText(cut(title, longest - Math.min(name.length, forName)), theme);
  // Without the mark, the number after a right-to-left name would move to its other side.
  return { size, text: name.length === 0 ? shownTitle : `${shownName}\u200e: ${shownTitle}` };
}

const ROOM = 860;
const SHORTEST_NAME = 12;

function cut(letters: readonly string[], longest: number): string {
  return letters.length <= longest ? letters.join("") : `${letters.slice(0, longest - 1).join("")}…`;
}

function drawLegend({ counted, firing }: SpikeChart, theme: Theme, palette: Palette): string[] {
  const bar = (colour: string) => (x: number) =>
    `<rect x="${x + 4}" y="68" width="6" height="14" fill="${colour}"/><rect x="${x + 12}" y="72" width="6" height="10" fill="${colour}"/>`;
  const entries: readonly (readonly [string, (x: number) => string])[] = [
    [cutBefore(counted, / in \d+ \w+(?: \d+ \w+)?$/.exec(counted)?.[0] ?? ""), bar(palette.count)],
    ...(firing.length > 0 ? [["fired", bar(palette.firing)] as const] : []),
    ["expected", (x) => `<path d="M${x} 75h20" stroke="${palette.expected}" stroke-width="3"/>`],
    ["ordinary", (x) => `<rect x="${x}" y="68" width="20" height="14" fill="${palette.ordinary}"/>`],
  ];
  const drawn: string[] = [];
  let x = 12;
  for (const [label, sign] of entries) {
    drawn.push(sign(x), `<text x="${x + 26}" y="80">${drawableText(label, theme)}</text>`);
    x += 26 + Math.ceil(label.length * LETTER) + 14;
  }
  return [`<g font-size="14" fill="${palette.text}">`, ...drawn, "</g>"];
}

/** What the bars count has room for so many letters; the width of a bar, at the end, is the last to go. */
const LONGEST_COUNTED = 28;

function cutBefore(text: string, end: string): string {
  return cut(Array.from(text.slice(0, text.length - end.length)), LONGEST_COUNTED - end.length) + end;
}

/** A letter of 14 units is about this wide. */
const LETTER = 8.6;

/**
 * Any text as the content of an XML element of a drawing. A page has letters for every writing; pictures are made with
 * the fonts in node_modules, and what those lack is an ellipsis there instead of a row of empty boxes.
 */
function drawableText(text: string, theme: Theme): string {
  return escapeXml(theme === "page" ? text : text.replace(WITHOUT_LETTERS, "…"));
}

/** Writings, full-width signs and pictograms that the DejaVu fonts do not have. */
const WITHOUT_LETTERS =
  /(?:[\u2e80-\ufaff\ufe30-\ufe4f\uff00-\uffef\u{1f000}-\u{1f5ff}\u{1f650}-\u{1fbff}]|[\ufe00-\ufe0f]|[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Georgian}\p{Script=Common}\p{Script=Inherited}]|(?<=\p{Extended_Pictographic})\u200d)+/gu;

/** Any text as the content or the quoted attribute of an XML element. What XML cannot hold is left out. */
export function escapeXml(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, "")
    .replace(FORBIDDEN, "")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** Control characters, and the marks that turn the direction of the text that follows. */
const FORBIDDEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
