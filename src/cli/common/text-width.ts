import stringWidth from "string-width";

/*
 * Commands import this file only when they print: loading the tables of Unicode takes 50 ms of processor time, which
 * `earshot --help` and `start` do not need.
 */

/** The width of a text in terminal cells: two for East Asian wide letters and emoji, none for marks. */
export function textWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** Cuts the text to at most `width` terminal cells; an ellipsis shows the cut. */
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

/** Pads the text with spaces after (or before) it to `width` cells; `padEnd` would count "東京" as two. */
export function padToWidth(text: string, width: number, side: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - textWidth(text)));
  return side === "right" ? space + text : text + space;
}

/** Texts with one cell per letter: most texts, and ten times as fast. */
const PLAIN = /^[ -~]*$/;
const segmenter = new Intl.Segmenter();
