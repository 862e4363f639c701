import { type Html, html } from "../html.ts";

/** The number of open alerts, shown after the word Alerts; empty if there are none. */
export function openCount(n: number): Html {
  return n === 0 ? html`` : html`<span class="count">${n}<span class="unseen"> open</span></span>`;
}
