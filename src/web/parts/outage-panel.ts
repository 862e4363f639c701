import { formatDuration } from "../../lib/duration.ts";
import type { Outage } from "../../model/outage.ts";
import { type Html, html } from "../html.ts";
import type { Times } from "../times.ts";
import { shorten } from "./words.ts";

/** What happened to Earshot itself, newest first. Nothing is said where nothing did. */
export function outagePanel(outages: readonly Outage[], moment: Times["moment"]): Html | null {
  if (outages.length === 0) return null;
  return html`<section class="panel" aria-labelledby="h-outages"><h2 id="h-outages">Outages of the last 7 days</h2>
<p class="hint">What happened to Earshot itself. Work stands in the tables, so it goes on by itself afterwards and nothing is lost.</p>
<ol class="timeline">${outages.map(
    (outage) =>
      html`<li><span class="when">${moment(outage.from)}</span><span><strong>${wordsOf(outage)}</strong>${outage.because !== null && html` <span class="detail" dir="auto">${shorten(outage.because, 200)}</span>`}</span></li>`,
  )}</ol></section>
`;
}

function wordsOf({ engine, outcome, from, to }: Outage): string {
  if (outcome === "emptied") return "The queue came back empty; its jobs were made again from the tables.";
  return `${WHO[engine]} for ${formatDuration(to - from)}.`;
}

const WHO: Readonly<Record<Outage["engine"], string>> = {
  database: "PostgreSQL could not be reached",
  queue: "The queue could not be reached",
  earshot: "No process of Earshot worked",
};
