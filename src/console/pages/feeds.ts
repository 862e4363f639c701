import type { FeedView, ShownFeed, ShownTry } from "#feeds";
import { formatDuration } from "../../lib/duration.ts";
import type { Instant } from "../../lib/instant.ts";
import { counted, formatNumber } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { Page } from "../parts/page.ts";
import { foreign, shorten } from "../parts/words.ts";

/** What people's judgements teach, by query; null where nothing is learnt. */
export async function learnedPanel(feeds: FeedView): Promise<Html | null> {
  const rows = await feeds.learned();
  if (rows.length === 0) return null;
  return html`<section class="panel"><h2>Learned from people</h2>
<p class="hint">“Not relevant” on alerts, and corrected sentiments and categories, teach by query. It acts where it is better than none.</p>
<table class="rule-list">
<thead><tr><th scope="col">Query</th><th scope="col">What</th><th scope="col">How good it is</th></tr></thead>
<tbody>${rows.map(
    ({ query, what, how }) => html`<tr><th scope="row">${foreign(query)}</th>
<td data-label="What: ">${what}</td>
<td data-label="How good it is: ">${how}</td></tr>`,
  )}</tbody></table></section>`;
}

/** The list of feeds. `token`: of forms; null if nothing may be tried here. */
export function feedsPart(
  { at, feeds: list }: Awaited<ReturnType<FeedView["list"]>>,
  times: Times,
  token: string | null,
): Html {
  if (list.length === 0)
    return html`<div class="panel"><p class="empty">No feed is configured: <code>listen.feeds</code> in earshot.yaml names them.</p></div>`;
  return html`<div class="panel">
<p class="hint">What the public feeds bring. Counts are of today (UTC).</p>
<div class="scrolls" tabindex="0" role="region" aria-label="Feeds, one by one">
<table class="rule-list">
<thead>
<tr>
<th scope="col">Feed</th>
<th scope="col">State</th>
<th scope="col">Last answer</th>
<th scope="col">Next try</th>
<th scope="col">Items today</th>
<th scope="col">Matched</th>${
    token !== null &&
    html`<th scope="col">
<span class="unseen">Try it</span>
</th>`
  }</tr>
</thead>
<tbody>${list.map((feed) => feedRow(feed, at, times, token))}</tbody></table></div></div>`;
}

function feedRow(feed: ShownFeed, now: Instant, times: Times, token: string | null): Html {
  const { key, name, kind, everyMs, receivedAt, nextAt, itemAt, itemsToday, matchedToday } = feed;
  const isFetched = everyMs > 0;
  return html`<tr><th scope="row">${foreign(name)}<span class="detail">${kind}${isFetched && `, expected every ${formatDuration(everyMs)}`}</span></th>
<td data-label="State: ">${stateOf(feed)}</td>
<td data-label="Last answer: ">${
    receivedAt === null
      ? html`<span
  class="detail">never</span>`
      : times.moment(receivedAt)
  }${
    itemAt !== null &&
    html`<span
  class="detail">newest item came ${times.moment(itemAt)}</span>`
  }</td>
<td data-label="Next try: ">${BUSY.has(feed.state) ? html`<span class="detail">at work now</span>` : nextTry(nextAt, now, isFetched)}</td>
<td data-label="Items today: ">${formatNumber(itemsToday)}</td><td data-label="Matched: ">${formatNumber(matchedToday)}</td>${
    token !== null &&
    html`<td>${
      isFetched &&
      html`<form method="post" action="/feeds/try">
<input type="hidden" name="token" value="${token}"><input type="hidden" name="key" value="${key}"><button type="submit">Try<span
  class="unseen"> ${foreign(name)}</span></button>
</form>`
    }</td>`
  }</tr>`;
}

const GOOD: ReadonlySet<string> = new Set(["ok", "open", "fetching", "listening"]);
/** It is being fetched, or connected. */
const BUSY: ReadonlySet<string> = new Set(["fetching", "listening"]);
/** It brings nothing, and should. */
export const SILENT: ReadonlySet<string> = new Set(["failing", "paused", "gone", "late"]);

function stateOf({ state, why, notes }: ShownFeed): Html {
  const tone = GOOD.has(state) ? "is-sent" : SILENT.has(state) ? "is-failing" : "is-due";
  const details = [...(why === null ? [] : [why]), ...notes];
  return html`<span class="outcome ${tone}">${state}</span>${details.map(
    (one) => html`
<span class="detail" dir="auto">${shorten(one, 300)}</span>`,
  )}`;
}

function nextTry(nextAt: Instant | null, now: Instant, isFetched: boolean): Html {
  if (!isFetched) return html`<span class="detail">others push to it</span>`;
  if (nextAt === null) return html`<span class="detail">none</span>`;
  return nextAt <= now ? html`now` : html`in ${formatDuration(nextAt - now)}`;
}

/** What a feed would bring now. */
export function triedFeedPage(tried: ShownTry | "Busy", times: Times): Page {
  return {
    title: "What a feed would bring",
    section: "/health",
    body: html`<p class="crumb"><a href="/health#feeds">Health</a></p>
<div class="title"><h1>What it would bring now</h1><p class="hint">It was fetched once. Nothing was stored and nothing is sent.</p></div>
${
  tried === "Busy"
    ? html`<div class="panel">
<p role="status">Others are trying feeds at the moment. Go back and try again in some seconds.</p>
</div>`
    : triedPart(tried, times)
}`,
  };
}

/** Matched items first. */
export function triedPart({ feed, problem, items, refused }: ShownTry, times: Times): Html {
  const matched = items.filter(({ queries }) => queries.length > 0);
  const sorted = [...matched, ...items.filter(({ queries }) => queries.length === 0)].slice(0, MOST_SHOWN);
  return html`<section class="panel"><h2>${foreign(feed)}</h2>
<p role="status">${
    problem !== null &&
    html`<span class="fault"
  dir="auto">${shorten(problem, 300)}</span> `
  }${
    (problem === null || items.length > 0) &&
    html`${counted(items.length, "item")}, ${counted(matched.length, "matched", "matched")}.`
  }${items.length > MOST_SHOWN && ` The first ${MOST_SHOWN}:`}</p>
${sorted.length > 0 && html`<ol class="timeline">${sorted.map((item) => triedItem(item, times))}</ol>`}${refused.map(
  ({ reason, n }) => html`<p
  class="hint">Left out, ${counted(n, "item")}:
${reason}.</p>`,
)}</section>`;
}

const MOST_SHOWN = 20;

function triedItem(
  { title, text, url, date, queries, misses }: ShownTry["items"][number],
  times: Times,
): Html {
  const headline = foreign(shorten(title ?? text, 200));
  return html`<li><span class="when">${times.moment(date)}</span><div>${
    url === null
      ? html`<strong>${headline}</strong>`
      : html`<a href="${url}" rel="noreferrer noopener" target="_blank">${headline}</a>`
  }${
    queries.length > 0
      ? queries.map(
          ({ name, words }) =>
            html`<br><span class="outcome is-sent">${foreign(name)}${words.length > 0 && html`: ${foreign(words.join(", "))}`}</span>`,
        )
      : misses
          .slice(0, 2)
          .map(
            ({ query, message }) =>
              html`<br><span class="detail">not ${foreign(query)}: ${foreign(shorten(message, 200))}</span>`,
          )
  }</div></li>`;
}
