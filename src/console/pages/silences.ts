import type { ListedSilence, RulePrecision, Silence } from "#monitor";
import { formatShare } from "../../lib/numbers.ts";
import { describeRange, rangeAt } from "../../lib/weekly-range.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { Page } from "../parts/page.ts";
import { type ReaderForm, silenceForm } from "../parts/silence-form.ts";
import { foreign } from "../parts/words.ts";

/** The silences, a form for a new one, and the feedback on the alerts of each rule. */
export function silencesPage(
  found: { readonly silences: readonly ListedSilence[]; readonly rules: readonly RulePrecision[] },
  times: Times,
  /** Null: this reader only looks. */
  form: ReaderForm | null,
): Page {
  return {
    title: "Silences",
    section: "/silences",
    body: html`<div class="title"><h1>Silences</h1></div>
<section class="panel" aria-labelledby="h-now"><h2 id="h-now">In force and to come</h2>${list(found.silences, times, form?.token ?? null)}</section>
${form !== null && newSilence(times, form)}
<section class="panel" aria-labelledby="h-rules"><h2 id="h-rules">Feedback on each rule in 30 days</h2>${precision(found.rules)}</section>`,
  };
}

function newSilence(times: Times, form: ReaderForm): Html {
  return html`<section class="panel action-form" aria-labelledby="h-new"><h2 id="h-new">Add a silence</h2>
<p class="hint">Give at least one of query, rule, label and severity;
<code>*</code> in a name matches anything.
Alerts that still fire when a silence ends are sent then. If an alert was sent before, its resolved message is always sent.</p>
${silenceForm(times.zone, form)}</section>`;
}

/** Whether it mutes now, and until when; a recurring one mutes only inside its times. */
function stateOf({ startsAt, endsAt, windows }: Silence, times: Times): Html {
  const now = times.now();
  if (now < startsAt) return html`from ${times.moment(startsAt)}`;
  if (windows.length === 0) return html`until ${times.moment(endsAt)}`;
  const found = rangeAt(windows, now);
  return found === null
    ? html`waits for its hours, until ${times.moment(endsAt)}`
    : html`now, to ${times.moment(Math.min(found.until, endsAt))}; until ${times.moment(endsAt)}`;
}

function list(silences: readonly ListedSilence[], times: Times, token: string | null): Html {
  if (silences.length === 0) return html`<p class="empty">Nothing is silenced.</p>`;
  return html`<ol class="timeline">${silences.map(
    (one) =>
      html`<li>
<span class="when">${stateOf(one, times)}</span>
<div>
<strong>${foreign(one.mutes)}</strong> by ${foreign(one.author)}${one.comment !== "" && html`: ${foreign(one.comment)}`}${
        one.windows.length > 0 &&
        html`<br><span class="detail">only ${one.windows.map(describeRange).join("; ")}</span>`
      }${
        token !== null &&
        html`<form method="post" action="/silences/${one.id}/expire">
<input type="hidden" name="token" value="${token}"><button type="submit">End it now</button>
</form>`
      }
</div>
</li>`,
  )}</ol>`;
}

function precision(rules: readonly RulePrecision[]): Html {
  if (rules.length === 0) return html`<p class="empty">No alert has fired.</p>`;
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="Feedback, rule by rule">
<table class="precision">
<thead>
<tr>
<th scope="col">Rule</th>
<th scope="col" class="number">Fired</th>
<th scope="col" class="number">Relevant</th>
<th scope="col" class="number">Not relevant</th>
<th scope="col" class="number">Precision</th>
</tr>
</thead>
<tbody>${rules.map(
    (one) =>
      html`<tr>
<th scope="row">
<code>${one.rule}</code>
</th>
<td class="number">${one.fired}</td>
<td class="number">${one.relevant}</td>
<td class="number">${one.notRelevant}</td>
<td class="number">${shareOf(one)}</td>
</tr>`,
  )}</tbody></table></div>`;
}

function shareOf({ relevant, notRelevant }: RulePrecision): string {
  const judged = relevant + notRelevant;
  return judged === 0 ? "no feedback" : formatShare(relevant / judged);
}
