import { RuleForm, type RuleTryOutcome, type TriedRule } from "#monitor";
import { DAY } from "../../lib/instant.ts";
import { counted, formatNumber, formatShare } from "../../lib/numbers.ts";
import { EDITOR_SCRIPT } from "../common/assets.ts";
import { type Html, html, trustedHtml } from "../common/html.ts";
import type { RuleDraft, RuleWords } from "../common/rule-view.ts";
import type { Times } from "../common/times.ts";
import { alertSpan, severityBadge } from "../parts/alert-list.ts";
import { mentionList } from "../parts/mention-list.ts";
import type { Page } from "../parts/page.ts";
import { ruleFields } from "../parts/rule-fields.ts";
import { foreign } from "../parts/words.ts";
import type { RuleNote } from "../search/rule-of-search.ts";
import { faultList, linkOfRule } from "./rules.ts";

export const TRY_DAYS = [3, 7, 14, 30] as const;

/** What somebody writes, and how it is shown. */
export interface RuleEditor {
  /** Empty for a new rule without a name yet. */
  readonly name: string;
  /** The version that was opened; null for a new rule. */
  readonly opened: string | null;
  readonly mode: "form" | "yaml";
  readonly form: RuleForm | null;
  /** The YAML; of a form, what it changes. */
  readonly text: string;
  readonly days: number;
}

/** Why a visitor may not write into the folder of rules; null if he may. */
export type WhyReadOnly = string | null;

interface TryParts {
  readonly token: string;
  readonly times: Times;
  readonly words: RuleWords;
  readonly drafts: readonly RuleDraft[];
  readonly readOnly: WhyReadOnly;
  /** Why it was not saved. */
  readonly refused?: { readonly because: string; readonly details: readonly string[] };
  readonly outcome?: RuleTryOutcome;
  /** What of a search is not in the rule, or says something else there. */
  readonly notes?: readonly RuleNote[];
  /** The YAML that was tried. */
  readonly tried?: string;
}

export function tryPage(editor: RuleEditor, parts: TryParts): Page {
  const { name, opened, mode } = editor;
  const { token } = parts;
  const title = opened === null ? "Try a new rule" : `Try ${name}`;
  return {
    title,
    section: "/rules",
    scripts: [EDITOR_SCRIPT.address],
    body: html`<p class="crumb"><a href="/rules">Rules</a>${opened !== null && html` / <a href="${linkOfRule(name)}">${name}</a>`}</p>
<div class="title"><h1>${title}</h1><p class="hint">Nothing is sent and nothing is stored: it runs over the mentions of the last days.</p></div>
${opened === null && draftList(parts.drafts)}
${parts.refused !== undefined && refusedPart(parts.refused)}
${parts.notes !== undefined && parts.notes.length > 0 && notesPart(parts.notes)}
<form class="rule-form" id="rule-form" method="post" action="/rules/try" hx-post="/rules/try" hx-trigger="load, input delay:700ms, change delay:200ms"
  hx-target="#result" hx-sync="this:replace" hx-indicator="#working">
<input type="hidden" name="token" value="${token}"><input type="hidden" name="mode" value="${mode}"><input type="hidden" name="opened" value="${opened ?? ""}">
<div class="two is-editor">
${editorPart(editor, parts.words)}
${outcomePart(editor, parts)}
${savePart(parts.readOnly)}
</div>
</form>`,
  };
}

function refusedPart({ because, details }: NonNullable<TryParts["refused"]>): Html {
  return html`<section class="panel problem-note" role="alert">
<h2 class="fault">Not saved:
${because}.</h2>${details.length > 0 && html`<ul>${details.map((one) => html`<li dir="auto">${one}</li>`)}</ul>`}</section>`;
}

function editorPart({ name, opened, mode, form, text }: RuleEditor, words: RuleWords): Html {
  return html`<div class="panel">
<div class="editor-head"><h2>${mode === "form" ? "The rule" : "The rule in YAML"}</h2>${
    mode === "form"
      ? html`<button type="submit" name="show" value="yaml">Write it as YAML</button>`
      : form !== null && html`<button type="submit" name="show" value="form">Use the form</button>`
  }</div>
${
  opened === null
    ? html`<label class="field">Name of the rule <input name="name" value="${name}" maxlength="80" placeholder="refund-storm"
  pattern="[a-z0-9]+(-[a-z0-9]+)*" title="lower case with hyphens, such as refund-storm" autocomplete="off"></label>`
    : html`<input type="hidden" name="name" value="${name}">`
}
${
  mode === "form"
    ? html`<input type="hidden" name="base" value="${text}">${ruleFields(form ?? RuleForm.parse({}), words)}`
    : yamlField(text, form === null && opened !== null)
}
</div>`;
}

function yamlField(text: string, hasNoForm: boolean): Html {
  return html`${
    hasNoForm &&
    html`<p
  class="hint">This rule has parts that the form does not have, so it is shown as YAML.</p>`
  }<label class="field" for="text">The file <span
  class="hint" id="text-help">Suggestions:
arrow keys and Enter;
Escape closes them.</span></label>
<div class="editor" data-completions="/rules/completions.json">
<textarea id="text" name="text" rows="24" spellcheck="false" autocapitalize="off" autocomplete="off" aria-describedby="text-help">
${text}</textarea></div>`;
}

function outcomePart(
  { text, mode, days: chosen }: RuleEditor,
  { outcome, tried = text, times }: TryParts,
): Html {
  return html`<div class="panel" id="outcome">
<div class="editor-head">
<h2>What it would have done</h2>
<label>in <select name="days">${TRY_DAYS.map(
    (days) => html`<option
  value="${days}"${days === chosen && html` selected`}>${days} days</option>`,
  )}</select></label><button type="submit"
  class="is-first">Try</button><span id="working" class="working" aria-hidden="true">Working …</span>
</div>
<p id="try-status" class="try-status" role="status">${outcome !== undefined && statusOf(outcome, chosen)}</p>
<div id="result">${outcome !== undefined && resultPart(outcome, tried, mode, times)}</div>
</div>`;
}

function savePart(readOnly: WhyReadOnly): Html {
  return html`<section class="panel action-form" aria-labelledby="h-save"><h2 id="h-save">Keep it</h2>
<div class="row"><button type="submit" formaction="/rules/download">Download the YAML</button>${
    readOnly === null
      ? html`<label>Your name <input name="by" maxlength="80" autocomplete="name"></label><button type="submit" class="is-first"
  formaction="/rules/save">Save into the folder of rules</button>`
      : html`<p class="hint">It cannot be saved into the folder of rules here: ${readOnly}.</p>`
  }</div></section>`;
}

function notesPart(notes: readonly RuleNote[]): Html {
  return html`<section class="panel" id="not-carried" aria-labelledby="h-not-carried">
<h2 id="h-not-carried">What the rule does not say as the search does</h2>
<ul>${notes.map(({ part, text }) => html`<li><code dir="auto">${part}</code>: ${text}.</li>`)}</ul></section>`;
}

function draftList(drafts: readonly RuleDraft[]): Html {
  return html`<details class="drafts"><summary>Begin with …</summary><ul>${drafts.map(
    ({ kind, choice }) => html`<li><a href="/rules/try?kind=${encodeURIComponent(kind)}">${choice}</a></li>`,
  )}</ul></details>`;
}

/** The answer to a change: the status, which is read out, and the rest. */
export function resultAnswer(
  outcome: RuleTryOutcome,
  text: string,
  { mode, days }: Pick<RuleEditor, "mode" | "days">,
  times: Times,
): Html {
  return html`${resultPart(outcome, text, mode, times)}<p id="try-status" class="try-status" role="status" hx-swap-oob="true">${statusOf(outcome, days)}</p>`;
}

/** `Would have sent 3 alerts in 14 days`, or `in 7 of 14 days`: why, stands below. */
function statusOf(outcome: RuleTryOutcome, days: number): Html {
  switch (outcome.outcome) {
    case "Tried":
      return html`Would have sent <strong>${counted(outcome.alertCount, "alert")}</strong> in ${daysOf(outcome, days)}${
        outcome.until < outcome.to &&
        html` <span
  class="fault">(cut)</span>`
      }`;
    case "Faulty":
      return html`<span class="fault">The rule has ${counted(outcome.faults.length + outcome.more, "fault")}</span>`;
    case "Ended":
      return html`This try ended: another page of yours tries a rule. Change something to try again.`;
    case "Busy":
      return html`Others are trying rules at the moment. Try again in some seconds.`;
    case "NoQuery":
      return html`There is no query that this rule is for, so it would never alert. Look at its queries.`;
  }
}

function daysOf({ from, to }: TriedRule, most: number): string {
  const days = Math.max(1, Math.round((to - from) / DAY));
  return days < most ? `${days} of ${counted(most, "day")}` : counted(days, "day");
}

function resultPart(outcome: RuleTryOutcome, text: string, mode: "form" | "yaml", times: Times): Html {
  return html`${
    outcome.outcome === "Faulty"
      ? html`${faultList(outcome.faults, text)}${outcome.more > 0 && html`<p>And ${counted(outcome.more, "more fault")}.</p>`}`
      : outcome.outcome === "Tried" && triedPart(outcome, times)
  }${mode === "form" && html`<details id="made-yaml"><summary>The rule as YAML</summary><pre class="yaml"><code>${text}</code></pre></details>`}`;
}

function triedPart(tried: TriedRule, times: Times): Html {
  const { alertCount, alerts, matched, mentions, messages, queries, queryCount, cut } = tried;
  const total = messages.reduce((sum, one) => sum + one.messages, 0);
  return html`${cut.map((one) => html`<p class="note">${one}</p>`)}
<p>${formatNumber(matched)} of ${counted(mentions, "mention")} ${matched === 1 ? "matches" : "match"}${
    mentions > 0 && ` (${formatShare(matched / mentions)})`
  }, in ${counted(queryCount, "query", "queries")}.
${
  total > 0 &&
  html`Messages: ${messages.map(({ receiver, messages: n }, index) => html`${index > 0 && ", "}${foreign(receiver)} ${n}`)}.`
}</p>
${queries.map(({ chart }) => chart !== null && html`<div class="try-chart">${trustedHtml(chart)}</div>`)}
${
  alertCount > 0 &&
  html`<h3>${alerts.length < alertCount ? `The newest ${alerts.length} of ${alertCount} alerts` : "The alerts"}</h3><ol class="timeline is-alerts">${alerts.map(
    (alert) =>
      html`<li>
<span class="when">${alertSpan(alert, times)}</span><span> ${severityBadge({ ...alert, state: "firing" })}${foreign(alert.queryName)} <span
  class="detail" dir="auto">${alert.because}</span></span>
</li>`,
  )}</ol>`
}
${
  queries.length > 1 &&
  html`<details id="by-query">
<summary>By query</summary>
<div class="scrolls" tabindex="0" role="group" aria-label="By query">
<table>
<thead>
<tr>
<th scope="col">Query</th>
<th scope="col" class="number">Matches</th>
<th scope="col" class="number">Alerts</th>
</tr>
</thead>
<tbody>${queries.map(
    ({ name, matched: n, alerts: its }) => html`<tr>
<th scope="row">${foreign(name)}</th>
<td class="number">${n}</td>
<td class="number">${its}</td>
</tr>`,
  )}</tbody>
</table>
</div>
</details>`
}
<h3>Mentions that match, newest first</h3>${mentionList(tried.examples, times, "None in this time.")}
<p class="detail after">It learned from mentions since ${times.moment(tried.learnedFrom)}.
Nobody acknowledges or silences anything in a try, and routes, quiet hours and throttles are those of this configuration.
It took ${(tried.tookMs / 1000).toFixed(1)} s.</p>`;
}

/** After a rule was saved. */
export function savedRulePage(name: string, next: string): Page {
  return savedPage(
    html`The rule <a href="${linkOfRule(name)}">${name}</a> is in the folder of rules. ${next}`,
  );
}

/** After a file of a folder was saved, or taken away. */
export function savedPage(message: Html): Page {
  return {
    title: "Saved",
    section: "/rules",
    body: html`<div class="title">
<h1>Saved</h1>
</div>
<section class="panel">
<p>${message}</p>
<p class="hint">The old version, if there was one, is in the folder <code>.history</code> beside it.</p>
</section>`,
  };
}
