import { formatDuration } from "../../lib/duration.ts";
import { formatQuirk, inOrder, QUIRKS } from "../../model/server-quirk.ts";
import type { ShownQuirk } from "../../model/shown.ts";
import { type Html, html } from "../html.ts";
import type { PageParts } from "../pages/page.ts";
import { foreign } from "./words.ts";

/** Quirks of the source that its documentation does not mention. */
export function quirksPart(quirks: readonly ShownQuirk[], moment: PageParts["times"]["moment"]): Html {
  const accounts = new Set(quirks.map(({ account }) => account)).size;
  return html`<section class="panel" aria-labelledby="h-learned"><h2 id="h-learned">Learned about the source</h2>
${
  quirks.length === 0
    ? html`<p class="empty">Nothing yet: the first polls show it.</p>`
    : html`<ul class="timeline">${inOrder(quirks).map(
        (one) =>
          html`<li><span class="when">${moment(one.firstAt)}</span><span>${QUIRKS[one.quirk].what}: ${formatQuirk(one)}${one.ms !== null && one.ms > 0 && html` (${formatDuration(one.ms)})`}${accounts > 1 && html`<span class="detail">${foreign(one.account)}</span>`}</span></li>`,
      )}</ul>`
}</section>`;
}
