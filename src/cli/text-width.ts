import stringWidth from "string-width";

/*
 * The commands import this file when they print: reading the tables of Unicode takes 50 ms of processor time, which
 * `earshot --help` and `start` have no use for.
 */

/** How many cells of a terminal a text takes: two for East Asian wide letters and emoji, none for marks. */
export function textWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** The text, cut so that it takes at most `width` cells of a terminal; an ellipsis says that something is missing. */
export function cutToWidth(text: string, width: number): string {
  if (PLAIN.test(text))
    return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1)).trimEnd()}…`;
  let used = 0;
  let end = 0;
  for (const { segment, index } of segmenter.segment(text)) {
    used += textWidth(segment);
    if (used > width) return `${text.slice(0, end).trimEnd()}…`;
    if (used < width) end = index + segment.length;
  }
  return text;
}

/** The text with spaces behind it (or before it), until it takes `width` cells: `padEnd` counts "東京" as two. */
export function padToWidth(text: string, width: number, side: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  return side === "right" ? space + text : text + space;
}

/** A cell for each letter: most texts, and ten times as fast. */
const PLAIN = /^[ -~]*$/;
const segmenter = new Intl.Segmenter();
