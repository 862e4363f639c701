import {
  clockAheadMs,
  expandReason,
  type ShownBudget,
  type ShownDeadLetter,
  type ShownHeartbeat,
  type ShownPoll,
  worstDelayMs,
} from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import type { Instant } from "../../lib/instant.ts";
import { formatNumber } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import { MOST_QUERIES, restOf } from "./long-list.ts";
import type { PageParts } from "./page.ts";
import { processesPart } from "./processes.ts";
import { quirksPart } from "./status-panels.ts";
import type { Coverage } from "./verdict.ts";
import { foreign, shorten } from "./words.ts";

/** What the person who runs Earshot looks at: polls, calls, dead letters, processes, and what was learned of the source. */
export function operatorPanels(
  { now, polls, deadLetters, heartbeat, budgets, quirks, configuration }: Coverage,
  moment: Moment,
): Html {
  const added = polls.filter(({ poll }) => poll === "added");
  const updated = polls.filter(({ poll }) => poll === "updated");
  return html`${heartbeatPart(heartbeat, moment)}${budgets.map(budgetPanel)}<section
  class="panel" aria-labelledby="h-added">
<h2 id="h-added">Polls for new mentions</h2>
<p class="hint">Everything that entered a query at the source up to “data complete until” is stored here.
“Seen within” is the longest delay of a visible mention with the current plan of calls.
Counts are of the last 24 hours.</p>${pollTable(added, now, moment, "complete")}</section>
<section class="panel" aria-labelledby="h-updated"><h2 id="h-updated">Polls for changed mentions</h2>
<p class="hint">Mentions that changed after they were first read:
sentiment, category, engagement.</p>${pollTable(updated, now, moment, "plain")}</section>
<section class="panel" aria-labelledby="h-dead-letters">
<h2 id="h-dead-letters">Dead letters</h2>${deadLetterList(deadLetters, moment)}</section>
${processesPart(configuration, moment)}${quirksPart(quirks, moment)}`;
}

/** The calls that the account has left. */
function budgetPanel({ limit, periodMs, used, usedByOthers, closedForMs, sharing }: ShownBudget): Html {
  if (limit === null) return html``;
  const left = Math.max(0, limit - used);
  return html`<section class="panel" aria-labelledby="h-calls"><h2 id="h-calls">Calls</h2>
<p><strong>${formatNumber(used)}</strong> of ${formatNumber(limit)} calls used in the last ${formatDuration(periodMs)}, ${
    left === 0 ? html`<strong class="fault">none left</strong>` : html`${formatNumber(left)} left`
  }${usedByOthers > 0 && html`; ${formatNumber(usedByOthers)} by others with the same account`}. ${SHARING[sharing]}</p>${
    closedForMs > 0 &&
    html`<p class="fault">The source refused a call: no more for ${formatDuration(closedForMs)}.</p>`
  }</section>`;
}

const SHARING: Readonly<Record<ShownBudget["sharing"], string>> = {
  untried: "It is not known yet whether one call may ask for several queries.",
  proven: "One call asks for several queries.",
  refused: "The source accepts only one query per call.",
};

type Moment = PageParts["times"]["moment"];

/** What Earshot found when it last looked at its own line. Empty before the first check. */
function heartbeatPart(heartbeat: ShownHeartbeat | null, moment: Moment): Html | null {
  if (heartbeat === null) return null;
  const { outcome, at, reason, answer, configured } = heartbeat;
  const works = outcome === "Beats";
  const call =
    configured !== true
      ? "No heartbeat address is configured."
      : works
        ? `The heartbeat was called; its server answered ${answer ?? "nothing yet"}.`
        : "The heartbeat is withheld.";
  return html`<section class="panel" aria-labelledby="h-line-works"><h2 id="h-line-works">Its own check</h2>
<p>
<strong
  class="outcome ${works ? "is-sent" : "is-failing"}">${
    works ? "Yes: polled, judged, able to deliver" : `No: ${expandReason(outcome).toLowerCase()}`
  }</strong>${
    reason !== undefined &&
    html`<span
  class="fault" dir="auto">${shorten(reason, 300)}</span> `
  }<span class="detail">Checked ${moment(at)}.
${call}</span>
</p>
</section>
`;
}

function pollTable(
  polls: readonly ShownPoll[],
  now: Instant,
  moment: Moment,
  columns: "complete" | "plain",
): Html {
  if (polls.length === 0) return html`<p class="empty">No query is watched yet.</p>`;
  const complete = columns === "complete";
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="Polls for ${complete ? "new" : "changed"} mentions, by query">
<table class="polls">
<thead>
<tr>
<th scope="col">Query</th>
<th scope="col">State</th>
<th scope="col">Last poll</th>
<th scope="col" class="number">Seen within</th>${
    complete &&
    html`<th scope="col">Data complete until</th><th scope="col" class="number">Behind</th><th scope="col">Judged until</th>`
  }<th scope="col" class="number">Polls</th>
<th scope="col" class="number">Seen</th>
<th scope="col" class="number">${complete ? "Stored" : "New"}</th>
<th scope="col" class="number">Missing</th>
<th scope="col" class="number">Dead letters</th>
</tr>
</thead>
<tbody>${polls.slice(0, MOST_QUERIES).map(
    (poll) =>
      html`<tr>
<th scope="row">${foreign(poll.queryName)}<span class="detail">${foreign(poll.projectName)}</span>
</th>
<td class="poll-state">${stateOf(poll, now)}</td>
<td>${momentOr(poll.polledAt, moment)}</td>
<td class="number">${within(poll, now)}</td>${
        complete &&
        html`<td>${momentOr(poll.completeUntil, moment)}</td><td class="number">${behind(poll, now)}</td><td>${moment(poll.tickedUntil)}</td>`
      }<td class="number">${formatNumber(poll.polls)}</td>
<td class="number">${formatNumber(poll.seen)}</td>
<td class="number">${formatNumber(poll.stored)}</td>
<td class="number">${gapOf(poll, moment)}</td>
<td class="number">${warned(poll.rejected)}</td>
</tr>`,
  )}</tbody></table></div>${restOf(polls.length)}`;
}

function momentOr(at: Instant | null, moment: Moment): Html {
  return at === null ? html`<span class="detail">never</span>` : moment(at);
}

/** The longest delay of a mention from now on, with the current plan of calls. */
function within(poll: ShownPoll, now: Instant): string {
  const worst = worstDelayMs(poll, now);
  return worst === null ? "" : formatDuration(worst);
}

function behind({ completeUntil }: ShownPoll, now: Instant): string {
  return completeUntil === null ? "" : formatDuration(Math.max(0, now - completeUntil));
}

/** How many mentions are missing, and when they are polled again. Shown until they are found. */
function gapOf({ gap, gapFrom, gapNextAt }: ShownPoll, moment: Moment): Html {
  if (gap === 0) return html`0`;
  return html`<strong class="fault">${formatNumber(gap)}</strong>${
    gapFrom !== null &&
    html`<span
  class="detail">since ${moment(gapFrom)}</span>`
  }${gapNextAt !== null && html`<span class="detail">again ${moment(gapNextAt)}</span>`}`;
}

function warned(n: number): Html {
  return n === 0 ? html`0` : html`<strong class="fault">${formatNumber(n)}</strong>`;
}

function stateOf(
  { failures, lastError, polledAt, completeUntil, tickedUntil }: ShownPoll,
  now: Instant,
): Html {
  if (failures > 0) {
    return html`<span class="outcome is-failing">failed ${failures === 1 ? "once" : `${failures} times in a row`}</span><span class="fault"
  dir="auto">${shorten(lastError ?? "", 200)}</span>`;
  }
  const aheadMs = clockAheadMs([polledAt, completeUntil, tickedUntil], now);
  if (aheadMs !== null)
    return html`<span class="outcome is-failing">the clock was ahead by ${formatDuration(aheadMs)}</span>`;
  return polledAt === null
    ? html`<span class="outcome is-due">not polled yet</span>`
    : html`<span class="outcome is-sent">ok</span>`;
}

function deadLetterList(list: readonly ShownDeadLetter[], moment: Moment): Html {
  if (list.length === 0)
    return html`<p class="empty">None: every mention was stored, and every job was done.</p>`;
  return html`<ol class="timeline">${list.map(
    (one) =>
      html`<li>
<span
  class="when">${moment(one.at)}</span><span><strong>${foreign(one.queryName)}</strong> ${
    one.resourceId !== null && html`<code>${foreign(shorten(one.resourceId, 60))}</code> `
  }<span
  class="detail"
  dir="auto">${one.kind === "mention" ? "" : `${one.scope ?? one.kind}: `}${shorten(one.reason, 200)}${one.tries > 1 && ` (${one.tries} tries)`}${
    one.replayable && html` Again: <code>earshot dead-letters replay ${one.id}</code>`
  }</span></span>
</li>`,
  )}</ol>`;
}
