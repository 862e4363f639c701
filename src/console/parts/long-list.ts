import { formatNumber } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";

/** How many queries a table of a page shows: more make it slow, and nobody reads them. */
export const MOST_QUERIES = 1_000;

/** Below a table that shows the first ones. */
export function restOf(queries: number): Html {
  return html`${
    queries > MOST_QUERIES &&
    html`<p class="hint">and ${formatNumber(queries - MOST_QUERIES)} more: <code>earshot coverage</code> names them all.</p>`
  }`;
}
