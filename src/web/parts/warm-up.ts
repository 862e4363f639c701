import type { ShownWarmUp } from "../../model/shown.ts";
import { type Html, html } from "../html.ts";
import type { PageParts } from "../pages/page.ts";
import { foreign } from "./words.ts";

const MOST = 200;

/** Rules that cannot fire on a query yet; empty if there are none. */
export function warmUpPart(
  warmingUp: readonly ShownWarmUp[],
  moment: PageParts["times"]["moment"],
): Html | null {
  if (warmingUp.length === 0) return null;
  return html`<section class="panel" aria-labelledby="h-learning"><h2 id="h-learning">Still learning</h2>
<p class="hint">These rules cannot fire yet: they do not have enough history to know what is usual.</p>
<div class="scrolls" tabindex="0" role="region" aria-label="Rules that are still learning"><table><thead><tr><th scope="col">Query</th><th scope="col">Rule</th><th scope="col">Counts</th><th scope="col">Needs</th><th scope="col">Until about</th></tr></thead>
<tbody>${warmingUp
    .slice(0, MOST)
    .map(
      (one) =>
        html`<tr><th scope="row">${foreign(one.queryName)}<span class="detail">${foreign(one.projectName)}</span></th><td>${one.rule}<span class="detail">${one.kind}</span></td><td>${one.counts}</td><td>${one.needs}</td><td>${one.until !== null && moment(one.until)}</td></tr>`,
    )}</tbody></table></div>${warmingUp.length > MOST && html`<p class="hint">and ${warmingUp.length - MOST} more: <code>earshot coverage</code> names them all.</p>`}</section>
`;
}
