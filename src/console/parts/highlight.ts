import { type Html, html } from "../common/html.ts";
import { shorten } from "./words.ts";

/** A part of a text. */
export interface Mark {
  readonly start: number;
  readonly length: number;
}

/** The beginning of a text, with what was searched for marked. `marks` are in the order of the text. */
export function highlight(text: string, marks: readonly Mark[], limit: number): Html {
  const shown = shorten(text, limit);
  const parts: Html[] = [];
  let from = 0;
  for (const { start, length } of marks) {
    const end = start + length;
    // What was cut off, or overlaps the mark before, is not marked. The last letter may be the sign of a cut.
    if (start < from || end > shown.length || (shown !== text && end > shown.length - 1)) continue;
    parts.push(html`${shown.slice(from, start)}<mark>${shown.slice(start, end)}</mark>`);
    from = end;
  }
  return html`${parts}${shown.slice(from)}`;
}
