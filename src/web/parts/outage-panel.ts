import { formatDuration } from "../../lib/duration.ts";
import type { Outage } from "../../model/failure.ts";
import { type Html, html } from "../html.ts";
import type { Times } from "../times.ts";
import { shorten } from "./words.ts";

/** Outages of Earshot itself, newest first; empty if there were none. */
export function outagePanel(outages: readonly Outage[], moment: Times["moment"]): Html | null {
  if (outages.length === 0) return null;
  return html`<section class="panel" aria-labelledby="h-outages"><h2 id="h-outages">Outages of the last 7 days</h2>
<p class="hint">Outages of Earshot itself. All work is stored in the tables, so Earshot continues by itself and nothing is lost.</p>
<ol class="timeline">${outages.map(
    (outage) =>
      html`<li><span class="when">${moment(outage.from)}</span><span><strong>${wordsOf(outage)}</strong>${outage.because !== null && html` <span class="detail" dir="auto">${shorten(outage.because, 200)}</span>`}</span></li>`,
  )}</ol></section>
`;
}

function wordsOf({ engine, outcome, from, to }: Outage): string {
  if (outcome === "emptied") return "The queue came back empty; its jobs were created again from the tables.";
  return `${WHO[engine]} for ${formatDuration(to - from)}.`;
}

const WHO: Readonly<Record<Outage["engine"], string>> = {
  database: "PostgreSQL could not be reached",
  queue: "The queue could not be reached",
  earshot: "No Earshot process was running",
};
