import { type AnsweredAlert, labelOf, MOST_ANSWERED_ALERTS, shortLabelOf, type UnneededView } from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { MINUTE } from "../../lib/instant.ts";
import { counted, formatNumber, formatShare } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import { columnChart } from "../parts/column-chart.ts";
import type { Page } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";
import { insightsPage } from "./frame.ts";
import type { Scope } from "./question.ts";
import { type Answers, answerMs, buildAnswers, buildRuleAnswers, type RuleAnswers } from "./response.ts";

interface Response {
  readonly alerts: readonly AnsweredAlert[];
  readonly before: readonly AnsweredAlert[];
  readonly unneeded: UnneededView | null;
}

interface ResponsePageParts {
  readonly times: Times;
  readonly hasRules: boolean;
  readonly script: string;
}

export function responsePage(
  address: string,
  scope: Scope,
  read: Response,
  { times, hasRules, script }: ResponsePageParts,
): Page {
  const [now, before] = [buildAnswers(read.alerts), buildAnswers(read.before)];
  return insightsPage(
    { address, scope, title: "Our response", path: "/insights/response", scripts: [script] },
    html`<section class="panel" aria-labelledby="h-fast"><h2 id="h-fast">How fast was somebody on it?</h2>
<p class="lead">${answersLine(now)}</p><p class="detail">In the time before: ${answersLine(before)}</p>
${read.alerts.length > 0 && chart(read.alerts, scope)}
${now.slowest !== null && html`<p>The longest wait: ${alertLink(now.slowest, times)}, ${wait(answerMs(now.slowest))}.</p>`}
${unanswered(read.alerts, times)}</section>
<section class="panel" aria-labelledby="h-rules"><h2 id="h-rules">How precise are the rules?</h2>
${ruleTable(buildRuleAnswers(read.alerts), read.unneeded, times, hasRules)}</section>
<section class="panel" aria-labelledby="h-unneeded"><h2 id="h-unneeded">Messages that nobody needed</h2>
${unneededPart(read.unneeded, times)}</section>`,
  );
}

export function answersLine({ fired, answered, medianMs, slowest }: Answers): Html {
  if (fired === 0) return html`No alert fired.`;
  const alerts =
    fired < MOST_ANSWERED_ALERTS
      ? html`<strong>${counted(fired, "alert")}</strong> fired`
      : html`<strong>The newest ${counted(fired, "alert")}</strong> are counted here`;
  if (medianMs === null || slowest === null) return html`${alerts}, and nobody acted on any.`;
  return html`${alerts}; somebody was on ${formatNumber(answered)} of them. Median wait
<strong>${wait(medianMs)}</strong>, longest ${wait(answerMs(slowest))}.`;
}

function wait(ms: number): string {
  return ms < MINUTE ? "less than a minute" : formatDuration(Math.floor(ms / MINUTE) * MINUTE);
}

function chart(alerts: readonly AnsweredAlert[], { range }: Scope): Html {
  const columns = range.moments.slice(0, -1).map((from, step) => {
    const to = range.moments[step + 1] ?? from;
    const own = alerts.filter(({ firedAt }) => firedAt >= from && firedAt < to);
    const answered = own.filter(({ answeredAt }) => answeredAt !== null).length;
    const text = `${labelOf(range, step)}: ${counted(own.length, "alert")}, somebody on ${answered}`;
    const parts = [
      { fill: "fill-1", n: answered },
      { fill: "fill-unknown", n: own.length - answered },
    ];
    return { from, to, text, axis: shortLabelOf(range, step), parts };
  });
  return html`<ul class="legend" aria-label="Colours of the alerts"><li class="is-fill-1">somebody was on it</li><li>nobody</li></ul>
<div class="chart" data-drag>${columnChart("response", columns)}</div>
<details id="response-numbers"><summary id="response-summary">Numbers by ${range.by}</summary>
<table class="numbers"><thead><tr><th scope="col">From</th><th scope="col">Alerts</th><th scope="col">Somebody on it</th></tr></thead>
<tbody>${columns.toReversed().map(
    ({ parts }, n) =>
      html`<tr><th scope="row">${labelOf(range, columns.length - 1 - n)}</th>
<td>${parts.reduce((sum, part) => sum + part.n, 0)}</td><td>${parts[0]?.n ?? 0}</td></tr>`,
  )}</tbody></table></details>`;
}

const MOST_UNANSWERED = 10;

function unanswered(alerts: readonly AnsweredAlert[], times: Times): Html | null {
  const nobody = alerts.filter(({ answeredAt, messages }) => answeredAt === null && messages > 0);
  if (nobody.length === 0) return null;
  return html`<h3>Sent, and nobody acted</h3><ul class="plain">${nobody
    .slice(0, MOST_UNANSWERED)
    .map((alert) => html`<li>${alertLink(alert, times)}</li>`)}</ul>${
    nobody.length > MOST_UNANSWERED &&
    html`<p class="more">and ${formatNumber(nobody.length - MOST_UNANSWERED)} more</p>`
  }`;
}

function alertLink({ alertId, rule, queryName, firedAt }: AnsweredAlert, times: Times): Html {
  return html`<a href="/alerts/${alertId}">${times.titleOf(rule)}</a>, ${foreign(queryName)}, ${times.moment(firedAt)}`;
}

function ruleTable(
  rules: readonly RuleAnswers[],
  unneeded: UnneededView | null,
  times: Times,
  hasRules: boolean,
): Html {
  if (rules.length === 0) return html`<p class="empty">No alert fired.</p>`;
  return html`<div class="scrolls" tabindex="0" role="group" aria-labelledby="h-rules"><table class="precision"><thead><tr><th scope="col">Rule</th>
<th scope="col" class="number">Fired</th><th scope="col">Worth it</th><th scope="col" class="number">Somebody on it</th>
<th scope="col">Median wait</th><th scope="col" class="number">Messages</th><th scope="col" class="number">Nobody needed</th></tr></thead>
<tbody>${rules.map((one) => {
    const judged = one.relevant + one.notRelevant;
    const title = times.titleOf(one.rule);
    return html`<tr><th scope="row">${hasRules ? html`<a href="/rules/${one.rule}">${title}</a>` : title}</th><td class="number">${formatNumber(one.fired)}</td>
<td>${judged === 0 ? html`<span class="hint">nobody said</span>` : `${formatShare(one.relevant / judged)} of ${judged}`}</td>
<td class="number">${formatNumber(one.answered)}</td><td>${one.medianMs !== null && wait(one.medianMs)}</td>
<td class="number">${formatNumber(one.messages)}</td>
<td class="number">${formatNumber(unneeded?.rules.find(({ rule }) => rule === one.rule)?.unneeded ?? 0)}</td></tr>`;
  })}</tbody></table></div>
<p class="hint">Worth it: of the alerts that people judged, by acting on them or by “Not relevant”.</p>`;
}

function unneededPart(unneeded: UnneededView | null, { titleOf }: Times): Html {
  if (unneeded === null) return html`<p class="empty">None among the alerts that are over.</p>`;
  return html`<p class="hint">About alerts that are over, and on which nobody acted, or which somebody called not relevant.</p>
<ul class="plain">${unneeded.receivers.map(
    ({ receiver, messages, unneeded: n }) =>
      html`<li><strong>${receiver}</strong>: ${formatNumber(n)} of ${counted(messages, "message")}</li>`,
  )}</ul>
<ul class="plain">${unneeded.rules.map(
    ({ rule, unneeded: n, messages, remedy }) =>
      html`<li>${titleOf(rule)}: ${formatNumber(n)} of ${formatNumber(messages)}${remedy !== null && html`; ${remedy}`}.</li>`,
  )}</ul>`;
}
