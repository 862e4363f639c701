import { type CrisisRoom, describeActor, type IncidentNote, newestOf } from "#monitor";
import { formatDuration, formatMinutes } from "../../lib/duration.ts";
import type { Instant } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import { saidIn } from "../parts/alert-list.ts";
import { entryWords, incidentBadge, incidentSpan, incidentStatus } from "../parts/incident-panel.ts";
import {
  statementSection,
  storiesSection,
  timelineSection,
  volumeSection,
  written,
} from "../parts/incident-story.ts";
import { type IncidentStory, ROOM_LENGTHS, ROOM_MS } from "../parts/incident-work.ts";
import { livePart } from "../parts/live.ts";
import { storyWords } from "../parts/mention-list.ts";
import type { Page } from "../parts/page.ts";
import type { ReaderForm } from "../parts/silence-form.ts";
import { foreign, shorten } from "../parts/words.ts";

/** What a press showed: a new link, which is shown once, or why nothing was done. */
export interface PressResult {
  readonly made: { readonly link: string; readonly until: Instant } | null;
  readonly fault: string | null;
  /** What somebody wrote and could not be stored: nobody types it twice. */
  readonly typed: { readonly status: string; readonly text: string } | null;
}
export const NO_PRESS_RESULT: PressResult = { made: null, fault: null, typed: null };

export const LONGEST_TEXT = 4_000;
export const LONGEST_STATUS = 80;

interface IncidentPageParts extends PressResult {
  readonly story: IncidentStory;
  /** Its room that is open. */
  readonly room: CrisisRoom | null;
  /** Null: this reader only reads. */
  readonly form: ReaderForm | null;
  /** Whether this reader may make a link: a program may not. */
  readonly mayOpenRoom: boolean;
}

/** Where people work on an incident: statement, crisis room, and all that the room shows. */
export function incidentPage(address: string, shown: IncidentPageParts, times: Times): Page {
  const { story, form, fault } = shown;
  const { incident } = story;
  return {
    title: `Incident: ${incident.queryName}`,
    section: "/alerts",
    // Forms are outside of the live part, so that an update never replaces one in use.
    body: html`<p class="crumb"><a href="/alerts">Alerts</a></p>
<div class="title"><h1>Incident: ${foreign(incident.queryName)}</h1><a href="/alerts/${incident.leaderId}">The alert that began it</a>
<a href="/incidents/${incident.id}/review">Review</a></div>
${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}
<div class="two is-alert"><div>
${livePart(address, { name: "story", on: ["alerts", "volume"] }, incidentPart(story, times))}</div>
<div class="aside">
${form !== null && commentForm(shown, form)}
${form !== null && statementForm(shown, form)}
${form !== null && roomSection(shown, form, times)}
${alertsSection(story, times)}
</div></div>`,
  };
}

export function incidentPart(
  { incident, members, entries, notes, volume, stories }: IncidentStory,
  times: Times,
): Html {
  const [largest] = stories;
  return html`<p class="alert-line">${incidentBadge(incident)} ${incidentSpan(incident, times)} · ${incidentStatus(incident, times)}</p>
${largest !== undefined && html`<p class="because" dir="auto">“${shorten(storyWords(largest.first), 160)}”</p>`}
${statementSection(notes, times, "Colleagues")}
${volumeSection(volume, times, "Colleagues")}
${storiesSection(stories, times, "Colleagues")}
${timelineSection(entries, notes, times, "Colleagues", (entry) => entryWords(entry, members, times))}
${commentsSection(notes, times)}`;
}

const STATUSES = ["Looking into it", "Holding statement out", "Statement published", "Watching", "Over"];

function statementForm({ story, typed }: IncidentPageParts, { token, asksName }: ReaderForm): Html {
  const { incident, notes } = story;
  return html`<section class="panel action-form" aria-labelledby="h-write"><h2 id="h-write">Write a statement</h2>
<form method="post" action="/incidents/${incident.id}/statement"><input type="hidden" name="token" value="${token}">
<input type="hidden" name="seen" value="${newestOf(notes, "statement")?.id ?? ""}">
<label class="whole">Status <input name="status" maxlength="${LONGEST_STATUS}" list="statuses" value="${typed?.status ?? ""}" dir="auto"></label>
<datalist id="statuses">${STATUSES.map((one) => html`<option value="${one}"></option>`)}</datalist>
<label class="whole">Statement <textarea name="text" rows="4" maxlength="${LONGEST_TEXT}" required dir="auto">
${typed?.text ?? ""}</textarea></label>
${asksName && NAME_FIELD}<button type="submit" class="is-first">Publish to the room</button></form>
<p class="hint">Whoever has the link of the room reads it. Earlier statements stay, and are shown below it.</p></section>`;
}

export const NAME_FIELD = html`<label>Your name <input name="by" maxlength="80" autocomplete="name"></label>`;

/** Colleagues alone read it: here, and in the threads of its messages in Slack. */
function commentsSection(notes: readonly IncidentNote[], times: Times): Html {
  const comments = notes.filter(({ kind }) => kind === "comment");
  return html`<section class="panel" aria-labelledby="h-comments"><h2 id="h-comments">Comments</h2>
${
  comments.length === 0
    ? html`<p class="empty">Nobody has written one.</p>`
    : html`<ul class="notes">${comments.map(
        (note) =>
          html`<li>${written(note, times, "Colleagues")}${note.origin !== null && html`<p class="detail">from Slack</p>`}</li>`,
      )}</ul>`
}</section>`;
}

function commentForm({ story }: IncidentPageParts, { token, asksName }: ReaderForm): Html {
  return html`<section class="panel action-form" aria-labelledby="h-comment"><h2 id="h-comment">Comment</h2>
<form method="post" action="/incidents/${story.incident.id}/comment"><input type="hidden" name="token" value="${token}">
<label class="whole">For colleagues <textarea name="text" rows="2" maxlength="${LONGEST_TEXT}" required dir="auto"></textarea></label>
${asksName && NAME_FIELD}<button type="submit">Comment</button></form>
<p class="hint">If Slack has messages of this incident, it appears in their threads, too. The room does not show it.</p></section>`;
}

function roomSection(
  { story, room, made, mayOpenRoom }: IncidentPageParts,
  form: ReaderForm,
  times: Times,
): Html {
  const { token, asksName } = form;
  const action = `/incidents/${story.incident.id}/room`;
  return html`<section class="panel action-form" aria-labelledby="h-room"><h2 id="h-room">Crisis room</h2>
${
  made !== null &&
  html`<p role="status">This link is shown once. Send it to the people who need it:</p>
<p><code class="secret">${made.link}</code></p>`
}${
  room === null
    ? html`<p class="hint">One link for people without an account. They see this page without names of authors, and can change nothing.
It ends by itself, and you can end it at once.</p>
${
  mayOpenRoom &&
  html`<form method="post" action="${action}"><input type="hidden" name="token" value="${token}">
<label>It works for <select name="length">${ROOM_LENGTHS.map(
    (ms) =>
      html`<option value="${formatDuration(ms)}"${ms === ROOM_MS && html` selected`}>${formatMinutes(ms)}</option>`,
  )}</select></label>
${asksName && NAME_FIELD}<button type="submit" class="is-first">Make a link</button></form>`
}`
    : html`<p>A link works until ${times.moment(room.until)}. Made by ${foreign(describeActor(room.actor))}; ${
        room.openedAt === null
          ? "nobody has opened it"
          : html`opened ${counted(room.opened, "time")}, the last time ${times.moment(room.openedAt)}`
      }.</p>
${
  mayOpenRoom &&
  html`<form method="post" action="${action}/end"><input type="hidden" name="token" value="${token}">
${asksName && NAME_FIELD}<button type="submit">End the link now</button></form>`
}`
}</section>`;
}

function alertsSection({ members }: IncidentStory, times: Times): Html {
  return html`<section class="panel" aria-labelledby="h-members"><h2 id="h-members">Its alerts</h2>
<ul class="timeline">${members.map(
    (one) =>
      html`<li><span class="when">${times.moment(one.firedAt ?? one.openedAt)}</span>
<span><a href="/alerts/${one.id}">${foreign(one.queryName)}: ${times.titleOf(one.rule)}</a>, ${one.severity}, ${one.state}<br>
<span class="detail" dir="auto">${saidIn(one, 120) ?? shorten(one.because, 160)}</span></span></li>`,
  )}</ul></section>`;
}
