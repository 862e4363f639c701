import {
  describeMoment,
  describeSpan,
  FILTERS,
  type Filters,
  hasFilters,
  LONGEST_FILTER,
  RANGES,
  STEPS,
  spanOfMoments,
} from "#monitor";
import { formatNumber } from "../../lib/numbers.ts";
import { MOST_QUERIES, withParameter } from "../common/address.ts";
import { type Html, html } from "../common/html.ts";
import { SENTIMENTS } from "../parts/mention-list.ts";
import type { Page } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";
import { type Scope, sameOn } from "./question.ts";

/** The pages of Insights; a question goes along from one to the other. */
const PAGES = [
  ["/insights", "Volume and mood"],
  ["/insights/speakers", "Who speaks"],
  ["/insights/stories", "Stories"],
  ["/insights/response", "Our response"],
] as const;

interface InsightsFrame {
  readonly address: string;
  readonly scope: Scope;
  readonly title: string;
  readonly path: (typeof PAGES)[number][0];
  readonly scripts?: readonly string[];
}

/** A page that answers a question about a range of time: what is asked above, the answer below. */
export function insightsPage(
  { address, scope, title, path, scripts = [] }: InsightsFrame,
  answer: Html,
): Page {
  const { question, queries, range, hasZones, isCut = false, isCompared = true } = scope;
  const list = path === "/insights/speakers" ? question.list : null;
  // Of a list its authors are counted, and of our response all alerts.
  const takesFilters = path !== "/insights/response" && list === null;
  const isFiltered = hasFilters(question);
  const save = new URLSearchParams({ save: address }).toString();
  return {
    title,
    section: "/insights",
    scripts,
    body: html`<div class="title"><h1>${title}</h1></div>
<nav aria-label="Insights"><ul class="tabs">${PAGES.map(
      ([href, label]) =>
        html`<li><a href="${sameOn(href, address)}"${href === path && html` aria-current="page"`}>${label}</a></li>`,
    )}</ul></nav>
<form class="filters" method="get" action="${path}">
<label>Time <select name="last">${question.from !== null && question.last === null && html`<option value="">chosen</option>`}${RANGES.map(
      (one) =>
        html`<option value="${one}"${one === range.last && html` selected`}>${RANGE_LABELS[one]}</option>`,
    )}</select></label>
${
  path === "/insights" &&
  html`<label>By <select name="by">${STEPS.map(
    (one) => html`<option value="${one}"${one === range.by && html` selected`}>${one}</option>`,
  )}</select></label>`
}
${question.last === null && hidden({ from: question.from, to: question.to })}
${list !== null && html`<input type="hidden" name="list" value="${list}">`}
<button type="submit">Show</button>
${queries.length > 1 && queryChoice(scope)}
${
  takesFilters &&
  html`<details class="whole"><summary>Filters</summary><div class="filters">${FILTERS.map((name) =>
    filterField(name, question.filters[name]),
  )}</div></details>`
}
</form>
${
  list !== null &&
  html`<ul class="chips" aria-label="Only"><li><span>Authors on the list ${foreign(list)}</span> <a href="${withParameter(address, "list", null)}"
  title="All who speak"><span aria-hidden="true">×</span><span class="unseen">All who speak</span></a></li></ul>`
}
${takesFilters && filterChips(address, question.filters)}
${
  path === "/insights/response" &&
  isFiltered &&
  html`<p class="hint">Filters are for mentions; here all alerts count.</p>`
}
<p class="detail">${describeSpan(spanOfMoments(range.moments), range.zone)}, times in ${range.zone.replace("Etc/", "")}${
      hasZones && html` (the queries have several zones)`
    }; compared with ${isCompared ? describeSpan(spanOfMoments(range.before), range.zone) : "nothing"}.
${address.includes("?") && html`<a href="/views?${save}">Save this view</a>`}</p>
${
  (isCut || !isCompared) &&
  html`<p class="counted-part">${isFiltered ? "With filters" : "For stories"} the mentions themselves are counted, and of so many only the newest ones${
    isCut
      ? html`: not what was before ${describeMoment(range.moments[0] ?? 0, range.zone)}`
      : html`: not the time before`
  }. A shorter time, or fewer queries, is counted whole.</p>`
}${answer}`,
  };
}

const FILTER_LABELS: Readonly<Record<keyof Filters, string>> = {
  author: "Author",
  domain: "Site",
  country: "Country",
  language: "Language",
  type: "Page type",
  category: "Category",
  sentiment: "Sentiment",
};

function filterField(name: keyof Filters, value: string | undefined): Html {
  const label = FILTER_LABELS[name];
  if (name !== "sentiment")
    return html`<label>${label} <input name="${name}" value="${value}" maxlength="${LONGEST_FILTER}" dir="auto"></label>`;
  return html`<label>${label} <select name="${name}"><option value="">any</option>${SENTIMENTS.map(
    (one) => html`<option value="${one}"${one === value && html` selected`}>${one}</option>`,
  )}</select></label>`;
}

/** What the mentions are narrowed down to; each can be taken away again. */
function filterChips(address: string, filters: Filters): Html | null {
  const given = FILTERS.filter((name) => filters[name] !== undefined);
  if (given.length === 0) return null;
  return html`<ul class="chips" aria-label="Only mentions with">${given.map(
    (name) =>
      html`<li><span>${FILTER_LABELS[name]} ${foreign(filters[name] ?? "")}</span> <a href="${withParameter(address, name, null)}"
  title="Take this filter away"><span aria-hidden="true">×</span><span class="unseen">Without the filter ${FILTER_LABELS[name]}</span></a></li>`,
  )}</ul>`;
}

const RANGE_LABELS: Readonly<Record<(typeof RANGES)[number], string>> = {
  "24h": "24 hours",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};

function queryChoice({ queries, question }: Scope): Html {
  const { query } = question;
  return html`<details class="whole"${query.length > 0 && html` open`}><summary>Queries${query.length === 0 && ": all"}</summary>
<fieldset class="choices"><legend class="unseen">Queries</legend>${queries.map(
    ({ queryId, name }) =>
      html`<label class="check"><input type="checkbox" name="query" value="${queryId}"${query.includes(queryId) && html` checked`}> ${foreign(name)}</label>`,
  )}</fieldset></details>`;
}

function hidden(values: Readonly<Record<string, number | null>>): readonly Html[] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  );
}

/**
 * The page of the mentions that a number counts. Without queries of its own they are those that were chosen. Null if
 * they are of more queries than that page takes: it would list others, too.
 */
export function mentionsLink(
  { question, chosen, queries }: Pick<Scope, "question" | "chosen" | "queries">,
  of: {
    readonly from: number;
    readonly to: number;
    readonly queries?: readonly string[];
    readonly sentiment?: string | null;
    readonly facet?: { readonly facet: string; readonly value: string };
  },
): string | null {
  const ids = of.queries ?? (chosen.length === queries.length ? [] : chosen.map(({ queryId }) => queryId));
  if (ids.length > MOST_QUERIES) return null;
  const { sentiment = null, ...filters } = question.filters;
  const values = {
    ...{ sentiment: of.sentiment ?? sentiment, from: of.from, to: of.to },
    ...filters,
    ...(of.facet === undefined ? {} : { [of.facet.facet]: of.facet.value }),
  };
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)] as [string, string]],
  );
  const named = ids.map((id): [string, string] => ["query", id]);
  return `/mentions?${new URLSearchParams([...named, ...given])}`;
}

/** The text as a link, where there is one. */
export function linked(href: string | null, text: Html | string): Html {
  return href === null ? html`${text}` : html`<a href="${href}">${text}</a>`;
}

/** `12% more than the 1,100 before`. */
export function changeOf(now: number, before: number): string {
  if (before === 0) return now === 0 ? "and none before" : "none before";
  if (now === before) return "as many as before";
  // A thousand times one says nothing of a usual day.
  if (now > 10 * before) return `${formatNumber(before)} before`;
  const share = Math.abs(now - before) / before;
  // Where something is left, it is not 100% less.
  const most = now > 0 && now < before ? 99 : 100;
  const by =
    share >= 1 && now > before
      ? `${formatNumber(now / before)} times`
      : `${Math.min(most, Math.max(1, Math.round(share * 100)))}%`;
  const than = `the ${formatNumber(before)} before`;
  if (now > before && share >= 1) return `${by} ${than}`;
  return `${by} ${now > before ? "more" : "less"} than ${than}`;
}

/** `, 4 points more than before`; two shares, null where there was nothing. */
export function pointsOf(now: number | null, before: number | null, begin = ", "): string {
  if (now === null || before === null) return "";
  const points = Math.round(now * 100) - Math.round(before * 100);
  if (points === 0) return `${begin}as before`;
  return `${begin}${Math.abs(points)} ${Math.abs(points) === 1 ? "point" : "points"} ${points > 0 ? "more" : "less"}`;
}
