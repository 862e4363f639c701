import { type Html, html } from "../common/html.ts";

/** The page for an error. `leadsBack`: its reader may know the other pages. */
export function problem(headline: string, advice: string, leadsBack = true): Html {
  return html`<div class="problem"><h1>${headline}</h1><p>${advice}</p>${
    leadsBack && html`<p><a href="/">Back to the overview</a></p>`
  }</div>`;
}
