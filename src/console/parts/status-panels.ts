import {
  formatQuirk,
  inOrder,
  type Outage,
  QUIRKS,
  type ShownQuirk,
  type ShownWait,
  type ShownWarmUp,
} from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { SECOND } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { PageParts } from "./page.ts";
import { foreign, shorten } from "./words.ts";

/** Outages of Earshot itself, newest first; empty if there were none. */
export function outagePanel(outages: readonly Outage[], moment: Times["moment"]): Html | null {
  if (outages.length === 0) return null;
  return html`<section class="panel" aria-labelledby="h-outages"><h2 id="h-outages">Outages of the last 7 days</h2>
<p class="hint">Outages of Earshot itself. All work is stored in the tables, so Earshot continues by itself and nothing is lost.</p>
<ol class="timeline">${outages.map(
    (outage) =>
      html`<li>
<span class="when">${moment(outage.from)}</span><span><strong>${wordsOf(outage)}</strong>${
        outage.because !== null &&
        html` <span class="detail"
  dir="auto">${shorten(outage.because, 200)}</span>`
      }</span>
</li>`,
  )}</ol></section>
`;
}

function wordsOf({ engine, outcome, from, to }: Outage): string {
  if (outcome === "Emptied") return "The queue came back empty; its jobs were created again from the tables.";
  return `${WHO[engine]} for ${formatDuration(to - from)}.`;
}

const WHO: Readonly<Record<Outage["engine"], string>> = {
  database: "PostgreSQL could not be reached",
  queue: "The queue could not be reached",
  earshot: "No Earshot process was running",
};

/** Receivers whose messages are delayed, with the reason; empty if there are none. */
export function waitsPanel(waits: readonly ShownWait[]): Html | null {
  if (waits.length === 0) return null;
  return html`<section class="panel" aria-labelledby="h-waits"><h2 id="h-waits">Delayed receivers</h2>
<dl class="facts is-wide">${waits.map((wait) => html`<dt>${foreign(wait.receiver)}</dt><dd>${waitWords(wait)}</dd>`)}</dl></section>
`;
}

/** `paused for 30s: Slack asks us to wait 30s (rate limit); 4 messages wait`. */
export function waitWords({ outcome, forMs, because, waiting }: ShownWait): Html {
  const length =
    forMs === null ? null : formatDuration(Math.max(SECOND, Math.round(forMs / SECOND) * SECOND));
  const isFault = outcome === "Refused" || outcome === "TriedAgain";
  return html`<span${isFault && html` class="fault"`}>${WORDS[outcome](length)}</span>:
<span dir="auto">${shorten(because, 300)}</span>${
    waiting > 0 &&
    html`;
${counted(waiting, "message")} ${waiting === 1 ? "waits" : "wait"}`
  }`;
}

const WORDS: Readonly<Record<ShownWait["outcome"], (length: string | null) => string>> = {
  Refused: () => "gets no messages",
  Paused: (length) => `paused for ${length ?? "a while"}`,
  TriedAgain: () => "fails; will be tried again",
  InLine: (length) => `in line for about ${length ?? "a while"}`,
};

/** Quirks of the source that its documentation does not mention. */
export function quirksPart(quirks: readonly ShownQuirk[], moment: PageParts["times"]["moment"]): Html {
  const accounts = new Set(quirks.map(({ account }) => account)).size;
  return html`<section class="panel" aria-labelledby="h-learned"><h2 id="h-learned">Learned about the source</h2>
${
  quirks.length === 0
    ? html`<p class="empty">Nothing yet: the first polls show it.</p>`
    : html`<ul class="timeline">${inOrder(quirks).map(
        (one) =>
          html`<li>
<span class="when">${moment(one.firstAt)}</span><span>${QUIRKS[one.quirk].what}:
${formatQuirk(one)}${one.ms !== null && one.ms > 0 && html` (${formatDuration(one.ms)})`}${
  accounts > 1 &&
  html`<span
  class="detail">${foreign(one.account)}</span>`
}</span>
</li>`,
      )}</ul>`
}</section>`;
}

const MOST = 200;

/** Rules that cannot fire on a query yet; empty if there are none. */
export function warmUpPart(
  warmingUp: readonly ShownWarmUp[],
  { moment, titleOf }: Pick<PageParts["times"], "moment" | "titleOf">,
): Html | null {
  if (warmingUp.length === 0) return null;
  return html`<section class="panel" aria-labelledby="h-learning"><h2 id="h-learning">Still learning</h2>
<p class="hint">These rules cannot fire yet: they do not have enough history to know what is usual.</p>
<div class="scrolls" tabindex="0" role="region" aria-label="Rules that are still learning">
<table>
<thead>
<tr>
<th scope="col">Query</th>
<th scope="col">Rule</th>
<th scope="col">Counts</th>
<th scope="col">Needs</th>
<th scope="col">Until about</th>
</tr>
</thead>
<tbody>${warmingUp.slice(0, MOST).map(
    (one) =>
      html`<tr>
<th scope="row">${foreign(one.queryName)}<span class="detail">${foreign(one.projectName)}</span>
</th>
<td>${titleOf(one.rule)} <span class="detail">${one.rule}</span>
</td>
<td>${one.counts}</td>
<td>${one.needs}</td>
<td>${one.until !== null && moment(one.until)}</td>
</tr>`,
  )}</tbody>
</table>
</div>${warmingUp.length > MOST && html`<p class="hint">and ${warmingUp.length - MOST} more: <code>earshot coverage</code> names them all.</p>`}</section>
`;
}
