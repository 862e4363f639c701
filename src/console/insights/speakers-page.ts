import {
  type AuthorListing,
  type Facet,
  type FacetRow,
  hasFilters,
  type ListSums,
  type SpeakerTable,
  spanOfMoments,
} from "#monitor";
import { counted, formatNumber, formatShare } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Page } from "../parts/page.ts";
import { foreign, formatCompact, shorten } from "../parts/words.ts";
import { changeOf, insightsPage, linked, mentionsLink } from "./frame.ts";
import type { Scope } from "./question.ts";

export interface Speakers {
  /** The values of each facet with the most mentions. */
  readonly tables: readonly SpeakerTable<SpeakerFacet>[];
  /** Who speaks of the lists that people keep. */
  readonly sums: readonly ListSums[];
  readonly listsOf: (facet: SpeakerFacet, value: string) => readonly AuthorListing[];
}
export const SPEAKER_FACETS = [
  "author",
  "domain",
  "country",
  "language",
  "type",
] as const satisfies readonly Facet[];
type SpeakerFacet = (typeof SPEAKER_FACETS)[number];

/** Of each facet. */
export const MOST_ROWS = 15;

const TITLES: Readonly<Record<SpeakerFacet, readonly [title: string, one: string, many: string]>> = {
  author: ["Authors", "author", "authors"],
  domain: ["Sites", "site", "sites"],
  country: ["Countries", "country", "countries"],
  language: ["Languages", "language", "languages"],
  type: ["Page types", "page type", "page types"],
};

export function speakersPage(address: string, scope: Scope, speakers: Speakers): Page {
  // Of a list its authors are counted, whatever the filters.
  const shown = scope.question.list === null ? scope : withoutFilters(scope);
  return insightsPage(
    { address, scope, title: "Who speaks", path: "/insights/speakers" },
    html`${listsPanel(speakers, scope)}${speakers.tables.map((table) => panel(table, shown, speakers))}`,
  );
}

function listsPanel({ sums }: Speakers, filtered: Scope): Html {
  const { list: chosen } = filtered.question;
  const scope = withoutFilters(filtered);
  const about = html`<p class="hint">An author counts by handle, on every site${
    chosen === null && hasFilters(filtered.question) && ", and whatever the filters"
  }. <a href="/lists">Author lists</a></p>`;
  if (sums.length === 0)
    return html`<section class="panel" aria-labelledby="h-lists"><h2 id="h-lists">On our lists</h2>
<p class="empty">No author is on a list yet: VIP, press, customers. <a href="/lists">Put some on one</a>.</p></section>`;
  const period = spanOfMoments(scope.range.moments);
  return html`<section class="panel" aria-labelledby="h-lists"><h2 id="h-lists">On our lists</h2>
<div class="scrolls" tabindex="0" role="group" aria-labelledby="h-lists"><table class="precision"><thead><tr><th scope="col">List</th>
<th scope="col" class="number">Authors who spoke</th><th scope="col" class="number">Mentions</th>
<th scope="col">Against before</th><th scope="col" class="number">Negative</th></tr></thead>
<tbody>${sums.map(({ list, authors, mentions, negative, before }) => {
    const isChosen = chosen?.toLowerCase() === list.toLowerCase();
    return html`<tr><th scope="row">${isChosen ? foreign(list) : html`<a href="${onList(scope, list)}">${foreign(list)}</a>`}</th>
<td class="number">${formatNumber(authors)}</td>
<td class="number">${linked(
      mentionsLink(scope, { ...period, facet: { facet: "list", value: list } }),
      html`${formatNumber(mentions)}<span class="unseen"> mentions of ${list}</span>`,
    )}</td>
<td>${changeOf(mentions, before)}</td><td class="number">${mentions > 0 && formatShare(negative / mentions)}</td></tr>`;
  })}</tbody></table></div>${about}</section>`;
}

/** The same page of the authors of one list. */
function onList({ question: { query, last, from, to } }: Scope, list: string): string {
  const parameters = Object.entries({ last, from, to, list }).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)] as [string, string]],
  );
  return `/insights/speakers?${new URLSearchParams([...query.map((id) => ["query", id] as [string, string]), ...parameters])}`;
}

function withoutFilters(scope: Scope): Scope {
  return { ...scope, question: { ...scope.question, filters: {} } };
}

function panel(
  { facet, rows, values, newValues, isEstimated }: SpeakerTable<SpeakerFacet>,
  scope: Scope,
  { listsOf }: Pick<Speakers, "listsOf">,
): Html {
  const [title, one, many] = TITLES[facet];
  const id = `h-${facet}`;
  if (rows.length === 0)
    return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><p class="empty">No mention names one.</p></section>`;
  // Before anything was received, everybody would be new.
  const hasBefore = newValues < values;
  const noneBefore =
    scope.isCompared === false ? ", and none to compare with" : ", none of them there in the time before";
  const about = (n: number) => (isEstimated ? Number(n.toPrecision(2)) : n);
  return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<p class="lead"><strong>${isEstimated && "About "}${counted(about(values), one, many)}</strong>${
    hasBefore
      ? html`, ${isEstimated && "about "}${formatNumber(about(newValues))} of them new: not there in the time before`
      : noneBefore
  }${values > rows.length && html`; these are the ${rows.length} with the most mentions`}</p>
<div class="scrolls" tabindex="0" role="group" aria-labelledby="${id}"><table class="precision">
<thead><tr><th scope="col">${title}</th><th scope="col" class="number">Mentions</th><th scope="col">Against before</th>
<th scope="col" class="number">Negative</th><th scope="col" class="number">Reach</th><th scope="col">Over time</th></tr></thead>
<tbody>${rows.map((row) => speaker(facet, row, scope, { hasBefore, lists: listsOf(facet, row.value) }))}</tbody></table></div></section>`;
}

function speaker(
  facet: SpeakerFacet,
  row: FacetRow,
  scope: Scope,
  { hasBefore, lists }: { readonly hasBefore: boolean; readonly lists: readonly AuthorListing[] },
): Html {
  const { value, mentions, before, negative, reach } = row;
  const { last, from, to, query, filters } = scope.question;
  const parameters = Object.entries({ last, from, to, ...filters, [facet]: value }).flatMap(([name, one]) =>
    one === null ? [] : [[name, String(one)] as [string, string]],
  );
  const overTime = new URLSearchParams([
    ...query.map((id) => ["query", id] as [string, string]),
    ...parameters,
  ]);
  const link = mentionsLink(scope, { ...spanOfMoments(scope.range.moments), facet: { facet, value } });
  return html`<tr><th scope="row">${linked(link, foreign(value))}${
    facet === "author" && authorLists(value, lists)
  }</th><td class="number">${formatNumber(mentions)}</td>
<td>${before > 0 ? changeOf(mentions, before) : hasBefore && html`<span class="badge is-new">new</span>`}</td>
<td class="number">${formatShare(negative / mentions)}</td>
<td class="number">${reach !== null && html`<span title="${formatNumber(reach)}">${formatCompact(reach)}</span>`}</td>
<td><a href="/insights?${overTime.toString()}">chart<span class="unseen"> of ${value}</span></a></td></tr>`;
}

/** Its lists, with the site of those that mean one; or the way to a list. */
function authorLists(author: string, lists: readonly AuthorListing[]): Html {
  return html` <span class="lists">${lists.map(
    ({ list, site, note }) =>
      html`<span class="work is-list">${foreign(list)}${site !== null && html` on ${foreign(site)}`}${
        note !== "" && html`<span class="list-note">: ${foreign(shorten(note, 60))}</span>`
      }</span> `,
  )}<a class="hint" href="/lists?${new URLSearchParams({ author }).toString()}">${lists.length === 0 ? "list" : "lists"}<span
  class="unseen"> of ${author}</span></a></span>`;
}
