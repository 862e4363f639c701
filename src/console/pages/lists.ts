import { describeActor, type ListedAuthor } from "#monitor";
import { groupBy } from "../../lib/group-by.ts";
import { counted } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import { type ListForm, listForm } from "../parts/author-lists.ts";
import type { Page } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";

/** The lists of authors. `form`: of a reader who may change them. `author`: the one that is to be put on a list. */
export function listsPage(
  {
    authors,
    form,
    author,
    fault,
  }: {
    readonly authors: readonly ListedAuthor[];
    readonly form: ListForm | null;
    readonly author: string | null;
    readonly fault: string | null;
  },
  times: Times,
): Page {
  const lists = [...groupBy(authors, ({ list }) => list.toLowerCase()).values()];
  return {
    title: "Author lists",
    section: "/insights",
    body: html`<p class="crumb"><a href="/insights/speakers">Who speaks</a></p>
<div class="title"><h1>Author lists</h1></div>
${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}
${form !== null && addPanel(form, author)}
${
  lists.length === 0 &&
  html`<p class="panel empty">No author is on a list. VIP, press, customers: what these say is marked with the list and your note.</p>`
}${lists.map((entries, n) => listPanel(entries, `h-list-${n}`, form, times))}`,
  };
}

function addPanel(form: ListForm, author: string | null): Html {
  return html`<section class="panel action-form" aria-labelledby="h-add"><h2 id="h-add">${
    author === null ? "Put an author on a list" : html`Put ${foreign(author)} on a list`
  }</h2>${listForm(form, { author })}</section>`;
}

function listPanel(
  entries: readonly ListedAuthor[],
  id: string,
  form: ListForm | null,
  times: Times,
): Html | null {
  const [first] = entries;
  if (first === undefined) return null;
  const { list } = first;
  return html`<section class="panel action-form" aria-labelledby="${id}"><h2 id="${id}">${foreign(list)}</h2>
<p class="detail">${counted(entries.length, "author")}.
<a href="/mentions?${new URLSearchParams({ list }).toString()}">What they say</a> ·
<a href="/insights/speakers?${new URLSearchParams({ list }).toString()}">How much they speak</a></p>
<div class="scrolls" tabindex="0" role="group" aria-labelledby="${id}"><table><thead><tr><th scope="col">Author</th>
<th scope="col">Site</th><th scope="col">Note</th><th scope="col">By</th>
${form !== null && html`<th scope="col"><span class="unseen">Change</span></th>`}</tr></thead>
<tbody>${entries.map(
    (
      one,
    ) => html`<tr><th scope="row"><a href="/mentions?${new URLSearchParams({ author: one.author }).toString()}">${foreign(one.author)}</a>${
      one.name !== null && one.name !== one.author && html`<br><span class="hint">${foreign(one.name)}</span>`
    }</th>
<td>${one.site === null ? "every site" : foreign(one.site)}</td>
<td class="list-note" dir="auto">${one.note}</td>
<td><bdi>${describeActor(one.actor)}</bdi><br><span class="hint">${times.moment(one.at)}</span></td>
${form !== null && html`<td>${endForm(one, form)}</td>`}</tr>`,
  )}</tbody></table></div></section>`;
}

function endForm({ id, author, list }: ListedAuthor, { token }: ListForm): Html {
  return html`<form method="post" action="/lists/end"><input type="hidden" name="token" value="${token}">
<button type="submit" name="id" value="${id}">Take off<span class="unseen"> ${author} from ${list}</span></button></form>`;
}
