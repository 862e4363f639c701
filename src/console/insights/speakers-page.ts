import type { Facet, FacetRow, FacetValues } from "#monitor";
import { counted, formatNumber, formatShare } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Page } from "../parts/page.ts";
import { foreign, formatCompact, shorten } from "../parts/words.ts";
import { changeOf, insightsPage, mentionsLink } from "./frame.ts";
import type { Scope } from "./question.ts";

/** The values of each facet with the most mentions. */
export type Speakers = readonly ({ readonly facet: SpeakerFacet } & FacetValues)[];
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
  return insightsPage(
    { address, scope, title: "Who speaks", path: "/insights/speakers" },
    html`${speakers.map((one) => panel(one, scope))}`,
  );
}

function panel({ facet, rows, values, newValues, isEstimated }: Speakers[number], scope: Scope): Html {
  const [title, one, many] = TITLES[facet];
  const id = `h-${facet}`;
  if (rows.length === 0)
    return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><p class="empty">No mention names one.</p></section>`;
  // Before anything was heard, everybody would be new.
  const hasBefore = newValues < values;
  const about = (n: number) => (isEstimated ? Number(n.toPrecision(2)) : n);
  return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<p class="lead"><strong>${isEstimated && "About "}${counted(about(values), one, many)}</strong>${
    hasBefore
      ? html`, ${isEstimated && "about "}${formatNumber(about(newValues))} of them new: not there in the time before`
      : ", and none to compare with"
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
  const asked = Object.entries({ last, from, to, ...filters, [facet]: value }).flatMap(([name, one]) =>
    one === null ? [] : [[name, String(one)] as [string, string]],
  );
  const overTime = new URLSearchParams([...query.map((id) => ["query", id] as [string, string]), ...asked]);
  const link = mentionsLink(scope, { ...spanOfMoments(scope.range.moments), facet: { facet, value } });
  return html`<tr><th scope="row"><a href="${link}">${foreign(value)}</a>${
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
