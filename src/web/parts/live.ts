import { type Html, html } from "../html.ts";
import type { LivePart } from "../watch-versions.ts";

/** The address under which a page answers with one of its parts only. */
export function partAddress(address: string, part: string): string {
  return withParameter(address, "part", part);
}

/** The same address with a query parameter set, or taken out. */
export function withParameter(address: string, name: string, value: string | null): string {
  const url = new URL(address, "http://here");
  if (value === null) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}

/**
 * A stretch of the page that is fetched again when one of the facts behind it changed. Where nothing lives (no scripts,
 * paused) it is simply what it was when the page was made.
 */
export function livePart(
  address: string,
  part: { readonly name: string; readonly on: readonly LivePart[] },
  content: Html,
): Html {
  const trigger = part.on.map((name) => `sse:${name}`).join(", ");
  return html`<div id="part-${part.name}" hx-get="${partAddress(address, part.name)}" hx-trigger="${trigger}" hx-swap="innerHTML">${content}</div>`;
}
