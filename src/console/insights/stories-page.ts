import {
  eventAt,
  labelOf,
  type Mention,
  type SpreadStory,
  shortLabelOf,
  spanOfMoments,
  speakerOf,
} from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { MINUTE } from "../../lib/instant.ts";
import { counted, formatNumber, formatShare } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import { columnChart } from "../parts/column-chart.ts";
import { followable, mentionReach, storyWords } from "../parts/mention-list.ts";
import type { Page } from "../parts/page.ts";
import { foreign, formatCompact, shorten } from "../parts/words.ts";
import { changeOf, insightsPage, linked, mentionsLink } from "./frame.ts";
import type { Scope } from "./question.ts";

export const MOST_STORIES = 10;
/** Mentions that are looked through for stories. */
export const MOST_FOR_STORIES = 25_000;

export function storiesPage(
  address: string,
  scope: Scope,
  stories: readonly SpreadStory[],
  { times, script }: { readonly times: Times; readonly script: string },
): Page {
  return insightsPage(
    { address, scope, title: "Stories", path: "/insights/stories", scripts: [script] },
    stories.length === 0
      ? html`<section class="panel"><p class="empty">No three mentions say the same.</p></section>`
      : html`<p class="lead"><strong>${counted(stories[0]?.stories ?? 0, "story", "stories")}</strong>: texts that at least three mentions share${
          (stories[0]?.stories ?? 0) > stories.length &&
          html`; these are the ${stories.length} with the most mentions`
        }</p>
${stories.map((story, place) => storyPanel(story, place, scope, times))}`,
  );
}

function storyPanel(story: SpreadStory, place: number, scope: Scope, times: Times): Html {
  const { mentions, before, negative, authors, first, widest, sites } = story;
  const id = `story-${place + 1}`;
  const facts = [
    html`${linked(storyLink(story, scope), counted(mentions, "mention"))}${before > 0 && html`, ${changeOf(mentions, before)}`}`,
    authors > 0 && counted(authors, "author"),
    `${formatShare(negative / mentions)} negative`,
  ].filter((fact) => fact !== false);
  return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}" dir="auto">${shorten(storyWords(first), 200)}</h2>
<p>${facts.map((fact, n) => html`${n > 0 && " · "}${fact}`)}</p>
<p class="detail">First: ${mentionFacts(first, times)}.${
    widest.resourceId !== first.resourceId &&
    mentionReach(widest) !== null &&
    html` Most reach: ${mentionFacts(widest, times)}.`
  } Last at ${times.moment(story.lastAt)}.</p>
${sites.length > 1 && html`<p class="detail">Where it was told: ${route(story, times)}.</p>`}
<div class="chart is-low" data-drag>${columnChart(`${id}-chart`, columnsOf(story, scope))}</div>
${numbers(id, story, scope)}</section>`;
}

/** `Ann Lee on twitter.example, Tue 10:30, reach 8.8K, open`. */
function mentionFacts(mention: Mention, times: Times): Html {
  const { domain } = mention;
  const url = followable(mention.url);
  const reach = mentionReach(mention);
  const name = speakerOf(mention);
  return html`${name === null ? "somebody" : foreign(shorten(name, 80))}${
    domain !== null && domain !== name && html` on ${foreign(shorten(domain, 60))}`
  }, ${times.moment(eventAt(mention))}${reach !== null && html`, reach ${formatCompact(reach)}`}${
    url !== null && html`, <a href="${url.href}" rel="noopener noreferrer">open</a>`
  }`;
}

/** `twitter.example (120), reddit.example 32 min later (14)`. */
function route({ sites }: SpreadStory, times: Times): Html {
  const start = sites[0]?.at ?? 0;
  return html`${sites.map(
    ({ domain, at, mentions }, n) =>
      html`${n > 0 && ", then "}${foreign(shorten(domain, 60))} ${
        n === 0
          ? html`at ${times.moment(at)}`
          : at - start < MINUTE
            ? "in the same minute"
            : `${formatDuration(Math.floor((at - start) / MINUTE) * MINUTE)} later`
      } (${formatNumber(mentions)})`,
  )}`;
}

function storyLink(
  { story }: SpreadStory,
  scope: Scope,
  { from, to } = spanOfMoments(scope.range.moments),
): string | null {
  const href = mentionsLink(scope, { from, to });
  return href === null ? null : `${href}&${new URLSearchParams({ story })}`;
}

function columnsOf(story: SpreadStory, scope: Scope) {
  const { range } = scope;
  const counts = new Map(story.steps);
  return range.moments.slice(0, -1).map((from, step) => {
    const to = range.moments[step + 1] ?? from;
    const n = counts.get(step) ?? 0;
    const text = `${labelOf(range, step)}: ${counted(n, "mention")}`;
    const parts = [{ fill: "fill-1", n, href: storyLink(story, scope, { from, to }) }];
    return { from, to, text, axis: shortLabelOf(range, step), parts };
  });
}

function numbers(id: string, story: SpreadStory, scope: Scope): Html {
  const { range } = scope;
  return html`<details id="${id}-numbers"><summary id="${id}-summary">Numbers by ${range.by}<span
  class="unseen"> of story ${id.replace("story-", "")}</span></summary>
<div class="scrolls" tabindex="0" role="group" aria-labelledby="${id}-summary">
<table class="numbers"><thead><tr><th scope="col">From</th><th scope="col">Mentions</th></tr></thead>
<tbody>${story.steps.toReversed().map(([step, n]) => {
    const from = range.moments[step] ?? 0;
    const to = range.moments[step + 1] ?? from;
    return html`<tr><th scope="row">${linked(storyLink(story, scope, { from, to }), labelOf(range, step))}</th>
<td>${formatNumber(n)}</td></tr>`;
  })}</tbody></table></div></details>`;
}
