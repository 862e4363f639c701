import {
  type ExplainedVolume,
  type InsightsQuestion,
  labelOf,
  type Mood,
  type Mover,
  shortLabelOf,
  spanOfMoments,
  type VoiceOf,
  type Volume,
} from "#monitor";
import { counted, formatNumber, formatShare } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import { type Column, columnChart } from "../parts/column-chart.ts";
import { livePart } from "../parts/live.ts";
import type { Page } from "../parts/page.ts";
import { moodLegend } from "../parts/volume-chart.ts";
import { foreign } from "../parts/words.ts";
import { changeOf, insightsPage, linked, mentionsLink, pointsOf } from "./frame.ts";
import type { Scope } from "./question.ts";

const MOODS = ["negative", "unknown", "neutral", "positive"] as const satisfies readonly (keyof Mood)[];

export function volumePage(address: string, scope: Scope, volume: ExplainedVolume, script: string): Page {
  const content = volumePart(scope, volume);
  const lives = scope.range.last !== null;
  return insightsPage(
    { address, scope, title: "Volume and mood", path: "/insights", scripts: [script] },
    lives ? livePart(address, { name: "charts", on: ["counts"] }, content) : content,
  );
}

export function volumePart(scope: Scope, volume: ExplainedVolume): Html {
  const share = (mood: Mood, of: number) => (of === 0 ? null : mood.negative / of);
  return html`<section class="panel" aria-labelledby="h-volume"><h2 id="h-volume">Volume</h2>
<p class="lead"><strong>${counted(volume.total, "mention")}</strong>${
    isCompared(scope) && html`, ${changeOf(volume.total, volume.before)}`
  }</p>
${volume.voices.length > 1 && legend(volume.voices, scope)}
<div class="chart" data-drag>${columnChart("volume", volumeColumns(scope, volume))}</div>
<p class="hint">${volume.before > 0 && html`The marks are the period before. `}A column leads to its mentions;
drag over columns to choose a time. New mentions are counted within a minute.</p>
${volumeTable(scope, volume)}</section>
${volume.voices.length > 1 && html`<section class="panel" aria-labelledby="h-share"><h2 id="h-share">Share of voice</h2>${shareTable(scope, volume)}</section>`}
<section class="panel" aria-labelledby="h-mood"><h2 id="h-mood">Mood</h2>
<p class="lead"><strong>${volume.total === 0 ? "No mention" : `${formatShare(share(volume.mood, volume.total) ?? 0)} negative`}</strong>${pointsOf(
    share(volume.mood, volume.total),
    share(volume.moodBefore, volume.before),
  )}</p>
${moodLegend("Colours of the mood")}
<div class="chart" data-drag>${columnChart("mood", moodColumns(scope, volume))}</div>
${moodTable(scope, volume)}</section>
${volume.movers !== null && moversPanel(scope, volume.movers)}`;
}

const FACET_NAMES: Readonly<Record<string, string>> = { domain: "site", type: "page type" };

function moversPanel(scope: Scope, movers: readonly Mover[]): Html {
  const period = spanOfMoments(scope.range.moments);
  return html`<section class="panel" aria-labelledby="h-movers"><h2 id="h-movers">What moved the mood</h2>
${
  movers.length === 0
    ? html`<p class="empty">Nothing changed it by a percentage point or more.</p>`
    : html`<div class="scrolls" tabindex="0" role="group" aria-labelledby="h-movers"><table class="precision"><thead><tr><th scope="col">Of</th>
<th scope="col" class="number">Negative mentions</th><th scope="col" class="number">Of all mentions</th><th scope="col">Against before</th></tr></thead>
<tbody>${movers.map(({ facet, value, negative, share, shareBefore }) => {
        const href = mentionsLink(scope, { ...period, sentiment: "negative", facet: { facet, value } });
        return html`<tr><th scope="row">${FACET_NAMES[facet] ?? facet} ${foreign(value)}</th>
<td class="number">${linked(href, html`${formatNumber(negative)}<span class="unseen"> negative mentions of ${value}</span>`)}</td>
<td class="number">${formatShare(share)}</td><td>${pointsOf(share, shareBefore, "")}</td></tr>`;
      })}</tbody></table></div>
<p class="hint">A mention is in a row for each thing that it has: its site, its country, each of its categories.</p>`
}</section>`;
}

function legend(voices: readonly VoiceOf[], { question }: Scope): Html {
  return html`<ul class="legend" aria-label="Colours of the queries">${voices.map(
    ({ name, queryId, fill }) =>
      html`<li class="is-${fill}">${queryId === null ? name : html`<a href="${only(question, queryId)}">${foreign(name)}</a>`}</li>`,
  )}</ul>`;
}

/** The same page of one query. */
function only({ last, from, to, by, filters }: InsightsQuestion, queryId: string): string {
  const given = Object.entries({ query: queryId, last, from, to, by, ...filters });
  return `/insights?${new URLSearchParams(given.flatMap(([name, value]) => (value == null ? [] : [[name, String(value)] as [string, string]])))}`;
}

function volumeColumns(scope: Scope, { voices, countsBefore }: Volume): Column[] {
  return columnsOf(scope, (step, period) => {
    const parts = voices.map(({ name, queryId, fill, counts }) => ({
      name,
      fill,
      n: counts[step] ?? 0,
      href: mentionsLink(scope, { ...period, queries: queriesOf(scope, voices, queryId) }),
    }));
    return { parts, ...(isCompared(scope) && { before: countsBefore[step] ?? 0 }) };
  });
}

/** Of a voice: its own, or those that have no colour of their own. */
function queriesOf({ chosen }: Scope, voices: Volume["voices"], queryId: string | null): string[] {
  if (queryId !== null) return [queryId];
  const alone = new Set(voices.map((voice) => voice.queryId));
  return chosen.map((query) => query.queryId).filter((id) => !alone.has(id));
}

function moodColumns(scope: Scope, { moods }: Volume): Column[] {
  return columnsOf(scope, (step, period) => ({
    parts: MOODS.map((mood) => ({
      ...{ name: mood, fill: `fill-${mood}`, n: moods[step]?.[mood] ?? 0 },
      // The list of mentions cannot be narrowed down to those without a mood.
      ...(mood !== "unknown" && { href: mentionsLink(scope, { ...period, sentiment: mood }) }),
    })),
  }));
}

type NamedPart = Column["parts"][number] & { readonly name: string };

function columnsOf(
  { range }: Scope,
  make: (
    step: number,
    period: { readonly from: number; readonly to: number },
  ) => { readonly parts: readonly NamedPart[]; readonly before?: number | undefined },
): Column[] {
  return range.moments.slice(0, -1).map((from, step) => {
    const to = range.moments[step + 1] ?? from;
    const { parts, before } = make(step, { from, to });
    const all = parts.reduce((sum, { n }) => sum + n, 0);
    const names = parts.filter(({ n }) => n > 0).map(({ name, n }) => `${name} ${formatNumber(n)}`);
    const text = [
      `${labelOf(range, step)}: ${counted(all, "mention")}`,
      ...(parts.length > 1 ? names : []),
      ...(before === undefined ? [] : [`before ${formatNumber(before)}`]),
    ].join(", ");
    return { from, to, text, axis: shortLabelOf(range, step), parts, before };
  });
}

function volumeTable(scope: Scope, { voices, countsBefore }: Volume): Html {
  return numbers(
    "volume",
    scope,
    [...voices.map(({ name }) => foreign(name)), "All", ...(isCompared(scope) ? ["Before"] : [])],
    (step) => {
      const all = voices.reduce((sum, { counts }) => sum + (counts[step] ?? 0), 0);
      const own = [...voices.map(({ counts }) => counts[step] ?? 0), all];
      return isCompared(scope) ? [...own, countsBefore[step] ?? 0] : own;
    },
  );
}

function moodTable(scope: Scope, { moods }: Volume): Html {
  return numbers("mood", scope, ["Negative", "Neutral", "Positive", "Unknown"], (step) => {
    const { negative = 0, neutral = 0, positive = 0, unknown = 0 } = moods[step] ?? {};
    return [negative, neutral, positive, unknown];
  });
}

/** The numbers behind a chart, newest first; each row leads to its mentions. */
function numbers(
  id: string,
  scope: Scope,
  heads: readonly (Html | string)[],
  cells: (step: number) => readonly number[],
): Html {
  const { range } = scope;
  const steps = range.moments.slice(0, -1).map((from, step) => ({ from, step }));
  return html`<details id="${id}-numbers"><summary id="${id}-summary">Numbers by ${range.by}<span class="unseen"> of the ${id}</span></summary>
<div class="scrolls" tabindex="0" role="group" aria-labelledby="${id}-summary">
<table class="numbers"><thead><tr><th scope="col">From</th>${heads.map(
    (head) => html`<th scope="col">${head}</th>`,
  )}</tr></thead>
<tbody>${steps.toReversed().map(
    ({
      from,
      step,
    }) => html`<tr><th scope="row">${linked(mentionsLink(scope, { from, to: range.moments[step + 1] ?? from }), labelOf(range, step))}</th>
${cells(step).map((n) => html`<td>${formatNumber(n)}</td>`)}</tr>`,
  )}</tbody></table></div></details>`;
}

function shareTable(scope: Scope, { voices, total, before }: Volume): Html {
  const period = spanOfMoments(scope.range.moments);
  return html`<div class="scrolls" tabindex="0" role="group" aria-labelledby="h-share"><table class="precision"><thead><tr><th scope="col">Query</th>
<th scope="col" class="number">Mentions</th><th scope="col" class="number">Share</th><th scope="col">Against before</th>
<th scope="col" class="number">Negative</th><th scope="col">Against before</th></tr></thead>
<tbody>${voices.map(
    (voice) => html`<tr><th scope="row">${voice.queryId === null ? voice.name : foreign(voice.name)}</th>
<td class="number">${linked(
      mentionsLink(scope, { ...period, queries: queriesOf(scope, voices, voice.queryId) }),
      html`${formatNumber(voice.total)}<span class="unseen"> mentions of ${voice.name}</span>`,
    )}</td>
<td class="number">${total === 0 ? "0%" : formatShare(voice.total / total)}</td>
<td>${pointsOf(rate(voice.total, total), rate(voice.before, before), "")}</td>
<td class="number">${voice.total === 0 ? "" : formatShare(voice.negative / voice.total)}</td>
<td>${pointsOf(rate(voice.negative, voice.total), rate(voice.negativeBefore, voice.before), "")}</td></tr>`,
  )}</tbody></table></div>`;
}

function isCompared({ isCompared = true }: Scope): boolean {
  return isCompared;
}

function rate(n: number, of: number): number | null {
  return of === 0 ? null : n / of;
}
