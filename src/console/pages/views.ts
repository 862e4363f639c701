import type { SavedView } from "#monitor";
import { readAddress } from "../common/address.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { Page } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";

interface ShownViews {
  readonly views: readonly SavedView[];
  /** Of the reader. */
  readonly owner: string;
  /** The address that the reader wants to save. */
  readonly save: string | null;
  readonly fault: string | null;
}

export function viewsPage({ views, owner, save, fault }: ShownViews, times: Times, token: string): Page {
  const own = views.filter(({ nameKey }) => nameKey === owner);
  const others = views.filter(({ nameKey }) => nameKey !== owner);
  return {
    title: "Saved searches",
    section: "/mentions",
    body: html`<p class="crumb"><a href="/mentions">Mentions</a></p>
<div class="title"><h1>Saved searches</h1></div>
${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}${save !== null && saveForm(save, token)}
<section class="panel action-form" aria-labelledby="h-own"><h2 id="h-own">Yours</h2>
${
  own.length === 0
    ? html`<p class="empty">None. Search on the page <a href="/mentions">Mentions</a>, and save it there.</p>`
    : html`<ul class="views">${own.map(
        (
          view,
        ) => html`<li>${linkOf(view)}${view.isShared && html` <span class="hint">everybody sees it</span>`}
<form method="post" action="/views/end"><input type="hidden" name="token" value="${token}">
<button type="submit" name="id" value="${view.id}">Delete<span class="unseen"> ${view.title}</span></button></form></li>`,
      )}</ul>`
}</section>
${
  others.length > 0 &&
  html`<section class="panel" aria-labelledby="h-shared"><h2 id="h-shared">Of others</h2>
<ul class="views">${others.map(
    (view) =>
      html`<li>${linkOf(view)} <span class="hint">${foreign(view.nameKey)}, ${times.moment(view.createdAt)}</span></li>`,
  )}</ul></section>`
}`,
  };
}

function saveForm(address: string, token: string): Html {
  return html`<section class="panel action-form" aria-labelledby="h-save"><h2 id="h-save">Save this search</h2>
<p class="detail">${describe(address)}</p>
<form method="post" action="/views"><input type="hidden" name="token" value="${token}">
<input type="hidden" name="address" value="${address}">
<label>Title <input name="title" maxlength="80" required dir="auto"></label>
<label class="check"><input type="checkbox" name="shared" value="yes"> for everybody</label>
<button type="submit">Save</button></form></section>`;
}

function linkOf({ title, address }: SavedView): Html {
  return html`<a href="${address}" dir="auto">${title}</a> <span class="detail">${describe(address)}</span>`;
}

/** What an address asks for: `contains battery, language de`. */
function describe(address: string): Html {
  const { parameters } = readAddress(address);
  const asked = [...parameters].filter(([, value]) => value !== "");
  if (asked.length === 0) return html`all mentions`;
  return html`${asked.map(([name, value], n) => html`${n > 0 && ", "}${name} ${foreign(value.slice(0, 200))}`)}`;
}
