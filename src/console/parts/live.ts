import { withParameter } from "../address.ts";
import { type Html, html } from "../html.ts";
import type { LivePart } from "../live-route.ts";

/**
 * A part of the page that is fetched again when one of its facts changes. Without scripts, or paused, it stays as the
 * page was made.
 */
export function livePart(
  address: string,
  part: {
    readonly name: string;
    readonly on: readonly LivePart[];
    /** Other events, as htmx names them. */
    readonly alsoOn?: readonly string[];
  },
  content: Html,
): Html {
  const trigger = [...part.on.map((name) => `sse:${name}`), ...(part.alsoOn ?? [])].join(", ");
  return html`<div id="part-${part.name}" hx-get="${withParameter(address, "part", part.name)}" hx-trigger="${trigger}" hx-swap="innerHTML">${content}</div>`;
}

/** The number of open alerts, shown after the word Alerts; empty if there are none. */
export function openCount(n: number): Html {
  return n === 0 ? html`` : html`<span class="count">${n}<span class="unseen"> open</span></span>`;
}
