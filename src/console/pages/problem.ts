import { type Html, html } from "../html.ts";

/** The page for an error. */
export function problem(headline: string, advice: string): Html {
  return html`<div class="problem"><h1>${headline}</h1><p>${advice}</p><p><a href="/">Back to the overview</a></p></div>`;
}
