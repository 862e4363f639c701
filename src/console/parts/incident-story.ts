import {
  describeActor,
  eventAt,
  type IncidentEntry,
  type IncidentNote,
  type ShownStory,
  wordsOf,
} from "#monitor";
import type { Instant } from "../../lib/instant.ts";
import { counted, formatNumber } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { QueryVolume } from "./build-volume.ts";
import { mentionReach, storyWords } from "./mention-list.ts";
import { moodLegend, volumeChart } from "./volume-chart.ts";
import { formatCompact, shorten } from "./words.ts";

/**
 * Who reads a page about an incident. Outsiders have a link and no account: they see no name of an author, no link into
 * the console, and nothing of how alerts were sorted.
 */
type Readers = "Colleagues" | "Outsiders";

/** The newest statement, and those of before in a folded part. */
export function statementSection(notes: readonly IncidentNote[], times: Times, readers: Readers): Html {
  const [newest, ...before] = notes.filter(({ kind }) => kind === "statement").toReversed();
  return html`<section class="panel" aria-labelledby="h-statement"><h2 id="h-statement">Statement</h2>
${
  newest === undefined
    ? html`<p class="empty">No statement has been written yet.</p>`
    : html`${newest.status !== null && html`<p class="lead" dir="auto">${newest.status}</p>`}${written(newest, times, readers)}`
}${
  before.length > 0 &&
  html`<details id="statements-before"><summary id="statements-summary">${counted(before.length, "statement")} before</summary>
<ul class="notes">${before.map(
    (note) =>
      html`<li>${note.status !== null && html`<strong dir="auto">${note.status}</strong>`}${written(note, times, readers)}</li>`,
  )}</ul></details>`
}</section>`;
}

/** What somebody wrote, as it was written. */
export function written(note: IncidentNote, times: Times, readers: Readers): Html {
  return html`<p class="written" dir="auto">${note.text}</p>
<p class="detail">${times.moment(note.at)}${readers === "Colleagues" && html`, by <bdi>${describeActor(note.actor)}</bdi>`}</p>`;
}

/** Volume and mood of the last 24 hours. */
export function volumeSection(volume: readonly QueryVolume[], times: Times, readers: Readers): Html {
  const total = volume.reduce((sum, one) => sum + one.total, 0);
  const negative = volume.reduce((sum, one) => sum + one.negative, 0);
  return html`<section class="panel" aria-labelledby="h-volume"><h2 id="h-volume">Volume and mood in 24 hours</h2>
${
  total === 0
    ? html`<p class="empty">No mention in the last 24 hours.</p>`
    : html`<p class="because">${counted(total, "mention")}, ${formatNumber(negative)} of them negative.</p>
${moodLegend()}${volume.map((one) => volumeChart(one, times, { isLinked: readers === "Colleagues" }))}`
}</section>`;
}

/** What several mentions say: its words, where they were first, and how many people could see it at most. */
export function storiesSection(stories: readonly ShownStory[], times: Times, readers: Readers): Html {
  return html`<section class="panel" aria-labelledby="h-stories"><h2 id="h-stories">Stories</h2>
${
  stories.length === 0
    ? html`<p class="empty">No three mentions say the same.</p>`
    : html`<ol class="timeline">${stories.map(({ mentions, first, widest }) => {
        const words = shorten(storyWords(first), 300);
        const reach = mentionReach(widest);
        return html`<li><span class="when">${counted(mentions, "mention")}</span><div>
<span dir="auto">${readers === "Outsiders" ? withoutNames(words) : words}</span><br><span class="detail">first ${times.moment(
          eventAt(first),
        )}${first.domain !== null && html` on <bdi>${shorten(first.domain, 60)}</bdi>`}${
          reach !== null && html`, largest reach ${formatCompact(reach)}`
        }</span></div></li>`;
      })}</ol>`
}</section>`;
}

/** Without handles, addresses of mails and links, which lead to people. */
export function withoutNames(text: string): string {
  return text.replaceAll(/\S+/g, (word) => {
    if (/[@\uFF20\uFE6B]/.test(word)) return "@…";
    if (/^\W*(?:u|user)\//i.test(word)) return "@…";
    return word.includes("://") || /^\W*www\.|\p{L}\.\p{L}{2,}\//iu.test(word) ? "(link)" : word;
  });
}

/** How alerts were sorted is nothing to outsiders, and may name rules. */
const SORTING: ReadonlySet<IncidentEntry["kind"]> = new Set(["Joined", "Merged", "Split"]);

/** What happened and what people said, oldest first. */
export function timelineOf(
  entries: readonly IncidentEntry[],
  notes: readonly IncidentNote[],
  readers: Readers,
  whatOf: (entry: IncidentEntry) => string = ({ kind }) => wordsOf(kind),
): readonly { readonly at: Instant; readonly what: string; readonly detail: string }[] {
  const happened = entries
    .filter(({ kind }) => readers === "Colleagues" || !SORTING.has(kind))
    .map((entry) => ({ at: entry.at, what: whatOf(entry), detail: entry.detail }));
  const said = notes
    .filter(({ kind }) => kind === "statement")
    .map(({ at, status, text }) => ({ at, what: "Statement", detail: status ?? shorten(text, 120) }));
  return [...happened, ...said].sort((a, b) => a.at - b.at);
}

export function timelineSection(
  entries: readonly IncidentEntry[],
  notes: readonly IncidentNote[],
  times: Times,
  readers: Readers,
  whatOf?: (entry: IncidentEntry) => string,
): Html {
  return html`<section class="panel" aria-labelledby="h-line"><h2 id="h-line">What happened</h2>
<ol class="timeline">${timelineOf(entries, notes, readers, whatOf).map(
    ({ at, what, detail }) => html`<li><span class="when">${times.moment(at)}</span>
<span><strong>${what}</strong> <span dir="auto" class="detail">${detail}</span></span></li>`,
  )}</ol></section>`;
}
