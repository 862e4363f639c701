import type { Facet, FacetRow } from "#monitor";
import { counted, formatNumber, formatShare } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Page } from "../parts/page.ts";
import { foreign, formatCompact } from "../parts/words.ts";
import { changeOf, insightsPage, mentionsLink } from "./frame.ts";
import type { Scope } from "./question.ts";
import { spanOfMoments } from "./range.ts";

/** The values of each facet with the most mentions. */
export type Speakers = readonly { readonly facet: SpeakerFacet; readonly rows: readonly FacetRow[] }[];
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
  // What was counted is one facet at a time.
  const plain = { ...scope, question: { ...scope.question, filter: null } };
  return insightsPage(
    { address, scope: plain, title: "Who speaks", path: "/insights/speakers" },
    html`${speakers.map(({ facet, rows }) => panel(facet, rows, plain))}`,
  );
}

function panel(facet: SpeakerFacet, rows: readonly FacetRow[], scope: Scope): Html {
  const [title, one, many] = TITLES[facet];
  const id = `h-${facet}`;
  const [first] = rows;
  if (first === undefined)
    return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><p class="empty">No mention names one.</p></section>`;
  // Before anything was heard, everybody would be new.
  const hasBefore = first.newValues < first.values;
  return html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<p class="lead"><strong>${counted(first.values, one, many)}</strong>${
    hasBefore
      ? html`, ${formatNumber(first.newValues)} of them new: not there in the time before`
      : ", and none to compare with"
  }${first.values > rows.length && html`; these are the ${rows.length} with the most mentions`}</p>
<div class="scrolls" tabindex="0" role="group" aria-labelledby="${id}"><table class="precision">
<thead><tr><th scope="col">${title}</th><th scope="col" class="number">Mentions</th><th scope="col">Against before</th>
<th scope="col" class="number">Negative</th><th scope="col" class="number">Reach</th><th scope="col">Over time</th></tr></thead>
<tbody>${rows.map((row) => speaker(facet, row, scope, hasBefore))}</tbody></table></div></section>`;
}

function speaker(facet: SpeakerFacet, row: FacetRow, scope: Scope, hasBefore: boolean): Html {
  const { value, mentions, before, negative, reach } = row;
  const { last, from, to, query } = scope.question;
  const asked = Object.entries({ last, from, to, [facet]: value }).flatMap(([name, one]) =>
    one === null ? [] : [[name, String(one)] as [string, string]],
  );
  const overTime = new URLSearchParams([...query.map((id) => ["query", id] as [string, string]), ...asked]);
  const link = mentionsLink(scope, { ...spanOfMoments(scope.range.moments), facet: { facet, value } });
  return html`<tr><th scope="row"><a href="${link}">${foreign(value)}</a></th><td class="number">${formatNumber(mentions)}</td>
<td>${before > 0 ? changeOf(mentions, before) : hasBefore && html`<span class="badge is-new">new</span>`}</td>
<td class="number">${formatShare(negative / mentions)}</td>
<td class="number">${reach !== null && html`<span title="${formatNumber(reach)}">${formatCompact(reach)}</span>`}</td>
<td><a href="/insights?${overTime.toString()}">chart<span class="unseen"> of ${value}</span></a></td></tr>`;
}
