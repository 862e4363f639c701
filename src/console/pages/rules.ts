import {
  type ConsoleFacts,
  describeActor,
  describePrecision,
  type RuleEdit,
  type RulePrecision,
  type RuleTestRecord,
  type ShownWarmUp,
} from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { didYouMean, type Fault } from "../../lib/errors.ts";
import { DAY } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import { capitalised } from "../../lib/text.ts";
import { type Html, html } from "../common/html.ts";
import type { ListedRule, RuleView, ShownRule } from "../common/rule-view.ts";
import type { Times } from "../common/times.ts";
import { alertList } from "../parts/alert-list.ts";
import type { Page } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";

const ALERT_DAYS = 30;
const ALERTS = 20;
const WARM_UPS = 20;

/** What the pages of rules need. */
export interface RulePageParts {
  readonly rules: RuleView;
  readonly facts: Pick<ConsoleFacts, "ruleAlerts" | "rulePrecision">;
  readonly warmingUp: () => Promise<readonly ShownWarmUp[]>;
  readonly times: Times;
}

export function linkOfRule(name: string, below = ""): string {
  return `/rules/${encodeURIComponent(name)}${below}`;
}

export function rulesPage(rules: readonly ListedRule[], times: Times, hasTemplates: boolean): Page {
  return {
    title: "Rules",
    section: "/rules",
    body: html`<div class="title"><h1>Rules</h1><a class="button" href="/rules/try">Try a new rule</a>${
      hasTemplates && html`<a class="button" href="/templates">Texts of messages</a>`
    }</div>
<div class="panel">${
      rules.length === 0
        ? html`<p class="empty">The folder of rules is empty.</p>`
        : html`<div class="scrolls" tabindex="0" role="region" aria-label="Rules">
<table class="rule-list">
<thead>
<tr>
<th scope="col">Rule</th>
<th scope="col">Looks at</th>
<th scope="col">Severity</th>
<th scope="col">Queries</th>
<th scope="col">Tests</th>
</tr>
</thead>
<tbody>${rules.map((rule) => ruleRow(rule, times))}</tbody></table></div>`
    }</div>`,
  };
}

function ruleRow(rule: ListedRule, times: Times): Html {
  const { name, title, kind, severities, queries, faults, isInUse } = rule;
  return html`<tr><th scope="row"><a href="${linkOfRule(name)}">${title ?? name}</a><span class="detail">${name}</span></th>
<td data-label="Looks at: ">${
    kind === null
      ? html`<span
  class="fault">${counted(faults.length, "fault")} in the file</span>`
      : (KINDS[kind] ?? kind)
  }${
    kind !== null &&
    !isInUse &&
    html`<span
  class="detail">the file changed since the start</span>`
  }</td>
<td data-label="Severity: ">${severities.join(", ")}</td><td data-label="Queries: ">${queries === null ? "all" : foreign(queries.join(", "))}</td>
<td data-label="Tests: ">${testSummary(rule, times)}</td></tr>`;
}

const KINDS: Readonly<Record<string, string>> = {
  mentions: "single mentions",
  volume: "a number of mentions",
  share: "a share of mentions",
  spike: "more than usual",
  absence: "less than usual",
  trend: "a change over days",
  new: "something new",
};

/** `3 passed`, `1 of 3 failed`, and whether that is old. */
function testSummary({ tests, version }: ListedRule, times: Times): Html {
  const [first] = tests;
  if (first === undefined) return html`<span class="detail">not run yet</span>`;
  const bad = tests.filter(({ outcome }) => outcome !== "Passed").length;
  const isOld = tests.some((test) => test.ruleVersion !== version);
  const newest = Math.max(...tests.map(({ ranAt }) => ranAt));
  return html`${
    bad === 0
      ? html`<span class="outcome is-sent">${tests.length} passed</span>`
      : html`<span
  class="outcome is-failing">${bad} of ${tests.length} failed</span>`
  } <span
  class="detail">${times.moment(newest)}${isOld && ", of an older version"}</span>`;
}

/** Everything about one rule. */
export async function readRulePage({ rules, facts, warmingUp, times }: RulePageParts, name: string) {
  const rule = await rules.find(name);
  if (rule === null) return null;
  const since = times.now() - ALERT_DAYS * DAY;
  const [alerts, precision, warm] = await Promise.all([
    facts.ruleAlerts(name, since, ALERTS),
    facts.rulePrecision(name, since),
    warmingUp(),
  ]);
  return { rule, alerts, precision, warmingUp: warm.filter((one) => one.rule === name) };
}

export async function rulePage(parts: RulePageParts, name: string): Promise<Page | null> {
  const read = await readRulePage(parts, name);
  if (read === null) return null;
  const { rule, alerts, precision, warmingUp } = read;
  const { times } = parts;
  const title = rule.title ?? rule.name;
  return {
    title,
    section: "/rules",
    body: html`<p class="crumb"><a href="/rules">Rules</a></p>
<div class="title">
<h1>${title}</h1>
<span class="hint"><code>${rule.name}</code></span><a class="button" href="${linkOfRule(name, "/try")}">Try changes</a>
</div>
${rule.description !== null && html`<p class="lead">${rule.description}</p>`}
${!rule.isInUse && html`<p class="note" role="note">The monitor does not run this version of the file: it changed since the start.</p>`}
${
  rule.faults.length > 0 &&
  html`<section class="panel" aria-labelledby="h-faults">
<h2 id="h-faults" class="fault">The file has faults</h2>${faultList(rule.faults, rule.text)}</section>`
}
<div class="two">
<div>
${
  rule.inWords.length > 0 &&
  html`<section class="panel" aria-labelledby="h-says">
<h2 id="h-says">What it says</h2>
<dl class="facts">${rule.inWords.map(
    ({ label, text }) => html`<dt>${label}</dt>
<dd>${foreign(text)}</dd>`,
  )}</dl>
</section>`
}
${delayPanel(rule)}
<section class="panel" aria-labelledby="h-alerts"><h2 id="h-alerts">Alerts of the last ${ALERT_DAYS} days</h2>
${precisionLine(precision)}${alertList(alerts, times, "None.")}${
  alerts.length === ALERTS &&
  html`<p class="more">Older ones are in the list of <a
  href="/alerts">all alerts</a>.</p>`
}</section>
</div>
<div>
${testPanel(rule, times)}
${warmUpPanel(warmingUp, times)}
<section class="panel" aria-labelledby="h-file">
<h2 id="h-file">The file</h2>
<pre class="yaml" tabindex="0" aria-label="The file as it is"><code>${rule.text}</code></pre>
<p>
<a href="${linkOfRule(name, "/yaml")}">Download</a>
</p>${editList(rule.edits, times)}</section>
</div>
</div>`,
  };
}

function delayPanel({ delay }: ShownRule): Html | null {
  if (delay === null) return null;
  return html`<section class="panel" aria-labelledby="h-delay"><h2 id="h-delay">What it costs in delay</h2><p>${delay.inWords}</p>
<dl class="facts">${delay.parts.map(
    ({ what, ms, why }) =>
      html`<dt>${what}</dt><dd>${ms === null ? "not known yet" : formatDuration(ms)} <span class="detail">${why}</span></dd>`,
  )}</dl></section>`;
}

function precisionLine(precision: RulePrecision): Html {
  const text = describePrecision(precision, ALERT_DAYS);
  return html`<p class="hint">${capitalised(text)}.</p>`;
}

function testPanel({ tests, testFiles, version, name }: ShownRule, times: Times): Html {
  const command = html`<code>earshot test</code>`;
  return html`<section class="panel" aria-labelledby="h-tests"><h2 id="h-tests">Its tests</h2>${
    tests.length === 0
      ? testFiles.length === 0
        ? html`<p class="empty">It has no tests. Write a story in <code>tests/${name}.test.yaml</code> beside the rules and run ${command}.</p>`
        : html`<p class="empty">${counted(testFiles.length, "test")}, no result on this page yet:
${testFiles.map((file, index) => html`${index > 0 && ", "}<code>${file}</code>`)}.</p>
<p class="hint">${command} runs them and prints the results.
It also stores them for this page, where there is an <code>earshot.yaml</code>; the demo has none.</p>`
      : html`<ol class="timeline">${tests.map((test) => testItem(test, version, times))}</ol><p class="hint">${command} runs them again.</p>`
  }</section>`;
}

function testItem(
  { test, outcome, detail, ruleVersion, ranAt, tookMs }: RuleTestRecord,
  version: string,
  times: Times,
): Html {
  const isGood = outcome === "Passed";
  return html`<li>
<span class="when">${times.moment(ranAt)}</span><span><span
  class="outcome ${isGood ? "is-sent" : "is-failing"}">${outcome.toLowerCase()}</span> ${foreign(test)} <span
  class="detail">${formatDuration(tookMs)}, ${formatAge(times.now() - ranAt)}</span>${
    ruleVersion !== version &&
    html`<br><strong>Old result:</strong> it tested version <code>${ruleVersion}</code> of the rule, the file is <code>${version}</code>.`
  }${detail !== "" && html`<br><span class="fault" dir="auto">${detail}</span>`}</span></li>`;
}

/** `3 days ago`; a demo's clock may be ahead of the run. */
function formatAge(ms: number): string {
  if (ms < 60_000) return "just now";
  return ms < 2 * DAY ? `${formatDuration(ms).split(" ")[0]} ago` : `${Math.floor(ms / DAY)} days ago`;
}

function warmUpPanel(warmingUp: readonly ShownWarmUp[], times: Times): Html {
  return html`<section class="panel" aria-labelledby="h-warm"><h2 id="h-warm">Warm-up</h2>${
    warmingUp.length === 0
      ? html`<p class="empty">Nothing to wait for: it can fire on every query.</p>`
      : html`<p class="hint">It cannot fire yet on these queries, because it does not know what is usual.</p><dl class="facts">${warmingUp
          .slice(0, WARM_UPS)
          .map(
            ({ queryName, needs, until }) =>
              html`<dt>${foreign(queryName)}</dt><dd>needs ${needs}${until !== null && html`, until about ${times.moment(until)}`}</dd>`,
          )}</dl>${warmingUp.length > WARM_UPS && html`<p class="hint">and ${counted(warmingUp.length - WARM_UPS, "more query", "more queries")}</p>`}`
  }</section>`;
}

/** Changes on the console, the newest first. */
export function editList(edits: readonly RuleEdit[], times: Times): Html | null {
  if (edits.length === 0) return null;
  return html`<h3>Changed on this console</h3><ol class="timeline">${edits.map(
    ({ at, actor, before, after }) =>
      html`<li>
<span class="when">${times.moment(at)}</span><span>${foreign(describeActor(actor))} <span
  class="detail">${before === null ? "wrote it" : html`<code>${before}</code> to`} <code>${after}</code></span></span>
</li>`,
  )}</ol>`;
}

/** Each fault with its line, as written there. */
export function faultList(faults: readonly Fault[], text: string): Html {
  const lines = text.split(/\r\n?|\n/);
  return html`<ol class="faults">${faults.map(
    ({ line, column, message, suggestion }) =>
      html`<li>
<a href="#text" data-line="${line}" data-column="${column}">Line ${line}</a> <code dir="auto">${(lines[line - 1] ?? "").trim().slice(0, 120)}</code>
<p>
<span dir="auto">${message}${didYouMean(suggestion)}</span>
</p>
</li>`,
  )}</ol>`;
}
