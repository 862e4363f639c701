import { type Html, html } from "../html.ts";

/** How many alerts are open, beside the word Alerts; nothing when all is quiet. */
export function openCount(n: number): Html {
  return n === 0 ? html`` : html`<span class="count">${n}<span class="unseen"> open</span></span>`;
}
