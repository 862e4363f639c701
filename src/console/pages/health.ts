import type { FeedView } from "#feeds";
import { type ShownPoll, worstDelayMs } from "#monitor";
import { awaitAll } from "../../lib/concurrency.ts";
import { formatDuration } from "../../lib/duration.ts";
import { DAY, type Instant } from "../../lib/instant.ts";
import { formatNumber } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import { livePart } from "../parts/live.ts";
import { MOST_QUERIES, restOf } from "../parts/long-list.ts";
import { operatorPanels } from "../parts/operator-panels.ts";
import type { Page, PageParts } from "../parts/page.ts";
import { outagePanel, waitsPanel, warmUpPart } from "../parts/status-panels.ts";
import { ago, type Coverage, judgeHealth } from "../parts/verdict.ts";
import { foreign, shorten } from "../parts/words.ts";
import { feedsPart, learnedPanel, SILENT } from "./feeds.ts";

const DEAD_LETTERS = 20;

export interface HealthParts extends PageParts {
  /** Null: no public feed is read. */
  readonly feeds: FeedView | null;
  /** Whether /setup sets up a brand. */
  readonly hasSetup: boolean;
}

/** Reads how complete the stored data is; sums are of the last 24 hours. */
export async function readCoverageFacts({
  facts,
  times,
  warmingUp: ask = async () => [],
  waits: askWaits = async () => [],
}: PageParts): Promise<Coverage> {
  const now = times.now();
  const read = await awaitAll({
    polls: facts.coverage(now - DAY),
    deadLetters: facts.deadLetters(DEAD_LETTERS),
    heartbeat: facts.heartbeat(),
    budgets: facts.budgets(),
    outages: facts.outages(now - 7 * DAY),
    quirks: facts.quirks(),
    warmingUp: ask(),
    waits: askWaits(),
    configuration: facts.processVersions(),
  });
  return { now, ...read };
}

/** The parts by name. `token`: of forms; null if nothing may be tried here. */
export function healthParts(parts: HealthParts, token: string | null) {
  const { feeds, times } = parts;
  return {
    line: async () => {
      const [coverage, list] = await Promise.all([readCoverageFacts(parts), feeds?.list()]);
      const silent = (list?.feeds ?? []).filter(({ state }) => SILENT.has(state)).map(({ name }) => name);
      return linePart(coverage, silent, times);
    },
    feeds: async () => (feeds === null ? html`` : feedsPart(await feeds.list(), times, token)),
    operators: async () => operatorPanels(await readCoverageFacts(parts), times.moment),
  };
}

/** Whether mentions arrive and messages go out, the feeds, and below what only the person who runs Earshot needs. */
export async function healthPage(address: string, parts: HealthParts, token: string | null): Promise<Page> {
  const own = healthParts(parts, token);
  const [line, feeds, operators] = await Promise.all([own.line(), own.feeds(), own.operators()]);
  return {
    title: "Health",
    section: "/health",
    body: html`<div class="title"><h1>Health</h1></div>
${livePart(address, { name: "line", on: ["coverage", "feeds"] }, line)}
${(parts.feeds !== null || parts.hasSetup) && (await feedSection(address, parts, feeds))}
<section aria-labelledby="h-operators"><h2 id="h-operators">For the person who runs Earshot</h2>
${livePart(address, { name: "operators", on: ["coverage"] }, operators)}</section>`,
  };
}

async function feedSection(address: string, { feeds, hasSetup }: HealthParts, list: Html): Promise<Html> {
  return html`<section id="feeds" aria-labelledby="h-feeds"><div class="title"><h2 id="h-feeds">Feeds</h2>${
    hasSetup &&
    html`<a class="button" href="/setup">${feeds === null ? "Listen for a brand" : "Set up another brand"}</a>`
  }</div>
${
  feeds === null
    ? html`<p class="panel">No public feed is read: <code>listen</code> in earshot.yaml names them.</p>`
    : html`${livePart(address, { name: "feeds", on: ["feeds"] }, list)}
${await learnedPanel(feeds)}`
}</section>`;
}

function linePart(coverage: Coverage, silentFeeds: readonly string[], times: PageParts["times"]): Html {
  const { moment } = times;
  const { outcome, headline, troubles } = judgeHealth(coverage, silentFeeds);
  const added = coverage.polls.filter(({ poll }) => poll === "added");
  return html`<section class="panel" aria-labelledby="h-verdict">
<h2 id="h-verdict" class="outcome ${outcome === "Well" ? "is-sent" : outcome === "Troubled" ? "is-failing" : "is-due"}">${headline}</h2>
${troubles.length > 0 && html`<ul class="plain">${troubles.map((one) => html`<li dir="auto">${shorten(one, 400)}</li>`)}</ul>`}
${added.length > 0 && queryTable(added, coverage.now, moment)}</section>
${waitsPanel(coverage.waits)}${outagePanel(coverage.outages, moment)}${warmUpPart(coverage.warmingUp, times)}`;
}

function queryTable(polls: readonly ShownPoll[], now: Instant, moment: PageParts["times"]["moment"]): Html {
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="What is read of each query">
<table class="rule-list">
<thead>
<tr>
<th scope="col">Query</th>
<th scope="col">Read up to</th>
<th scope="col">A mention is here within</th>
<th scope="col">New in 24 hours</th>
</tr>
</thead>
<tbody>${polls.slice(0, MOST_QUERIES).map(
    (poll) => html`<tr>
<th scope="row">${foreign(poll.queryName)}<span class="detail">${foreign(poll.projectName)}</span></th>
<td data-label="Read up to: ">${
      poll.completeUntil === null
        ? html`<span class="detail">nothing yet</span>`
        : html`${ago(poll.completeUntil, now)} <span class="detail">${moment(poll.completeUntil)}</span>`
    }</td>
<td data-label="A mention is here within: ">${within(poll, now)}</td>
<td data-label="New in 24 hours: ">${formatNumber(poll.stored)}</td></tr>`,
  )}</tbody></table></div>${restOf(polls.length)}
<p class="hint">A mention is here within so long after its source shows it, as often as the source may be asked.</p>`;
}

function within(poll: ShownPoll, now: Instant): string {
  const worst = worstDelayMs(poll, now);
  return worst === null ? "not known yet" : formatDuration(worst);
}
