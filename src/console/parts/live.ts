import type { ConsoleFacts } from "#monitor";
import { withParameter } from "../common/address.ts";
import { type Html, html } from "../common/html.ts";

/** The live parts of pages: those of the facts, the volume, which is counted again at most every few seconds, and feeds. */
export type LivePart = keyof Awaited<ReturnType<ConsoleFacts["versions"]>> | "volume" | "feeds";

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
