import { type Html, html } from "../html.ts";

/** What a reader sees instead of a page that cannot be had. */
export function problem(headline: string, advice: string): Html {
  return html`<div class="problem"><h1>${headline}</h1><p>${advice}</p><p><a href="/">Back to the overview</a></p></div>`;
}
