import { newestOf } from "#monitor";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { IncidentStory } from "../parts/incident-work.ts";
import type { Page } from "../parts/page.ts";
import type { ReaderForm } from "../parts/silence-form.ts";
import { moodLegend, volumeChart } from "../parts/volume-chart.ts";
import { foreign } from "../parts/words.ts";
import type { Review, ReviewNote } from "../review/review.ts";
import { LONGEST_TEXT, NAME_FIELD, type PressResult } from "./incident.ts";

interface ReviewPageParts extends Pick<PressResult, "fault" | "typed"> {
  readonly story: IncidentStory;
  readonly review: Review;
  /** Null: this reader only reads. */
  readonly form: ReaderForm | null;
}

/** An incident when it is over: what happened, in figures, and what was learned. */
export function reviewPage({ story, review, form, fault, typed }: ReviewPageParts, times: Times): Page {
  const { incident, notes } = story;
  const { figures, learned, statements, timeline, stories, volume } = review;
  return {
    title: review.title,
    section: "/alerts",
    body: html`<p class="crumb"><a href="/incidents/${incident.id}">Incident: ${foreign(incident.queryName)}</a></p>
<div class="title"><h1 dir="auto">${review.title}</h1><a href="/incidents/${incident.id}/review.pdf">Download as PDF</a></div>
<p class="hint">${review.span}</p>
${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}
<div class="two"><div>
<section class="panel" aria-labelledby="h-learned"><h2 id="h-learned">What we learned</h2>
${learned === null ? html`<p class="empty">Nobody has written it yet.</p>` : noteOf(learned)}</section>
<section class="panel" aria-labelledby="h-volume"><h2 id="h-volume">Volume by hour</h2>
${
  volume.length === 0
    ? html`<p class="empty">No mention is kept.</p>`
    : html`${moodLegend()}${volume.map((one) => volumeChart(one, times, { isPast: true }))}`
}</section>
<section class="panel" aria-labelledby="h-stories"><h2 id="h-stories">Stories</h2>
${
  stories.length === 0
    ? html`<p class="empty">No three mentions say the same.</p>`
    : html`<ol class="timeline">${stories.map(
        ({ mentions, words, detail }) => html`<li><span class="when">${mentions}</span>
<div><span dir="auto">${words}</span><br><span class="detail" dir="auto">${detail}</span></div></li>`,
      )}</ol>`
}</section>
<section class="panel" aria-labelledby="h-line"><h2 id="h-line">What happened</h2><ol class="timeline">${timeline.map(
      ({ when, what, detail }) => html`<li><span class="when">${when}</span>
<span><strong>${what}</strong> <span dir="auto" class="detail">${detail}</span></span></li>`,
    )}</ol></section></div>
<div class="aside">
<section class="panel" aria-labelledby="h-figures"><h2 id="h-figures">Figures</h2><dl class="facts">${figures.map(
      ([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`,
    )}</dl></section>
<section class="panel" aria-labelledby="h-statements"><h2 id="h-statements">Statements</h2>
${statements.length === 0 ? html`<p class="empty">None was written.</p>` : statements.map(noteOf)}</section>
${
  form !== null &&
  html`<section class="panel action-form" aria-labelledby="h-write"><h2 id="h-write">Write what you learned</h2>
<form method="post" action="/incidents/${incident.id}/review"><input type="hidden" name="token" value="${form.token}">
<input type="hidden" name="seen" value="${newestOf(notes, "lesson")?.id ?? ""}">
<label class="whole">What we learned <textarea name="text" rows="8" maxlength="${LONGEST_TEXT}" required dir="auto">
${typed?.text ?? learned?.text ?? ""}</textarea></label>
${form.asksName && NAME_FIELD}<button type="submit" class="is-first">Save</button></form></section>`
}
</div></div>`,
  };
}

function noteOf({ when, status, text }: ReviewNote): Html {
  return html`${status !== null && html`<p><strong dir="auto">${status}</strong></p>`}<p class="written" dir="auto">${text}</p>
<p class="detail" dir="auto">${when}</p>`;
}
