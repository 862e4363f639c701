import { type ListedView, readMailedView, type SavedView } from "#monitor";
import { readAddress } from "../common/address.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { Page } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";

/** Whether the reader can get a view as a mail, and where. */
export type MailOfReader =
  | { readonly outcome: "NoMailServer" }
  /** Nobody wrote an address for this user, or nobody is logged in. */
  | { readonly outcome: "NoAddress" }
  | { readonly outcome: "Address"; readonly email: string; readonly timezone: string };

interface ShownViews {
  readonly views: readonly ListedView[];
  /** Of the reader. */
  readonly owner: string;
  /** The address that the reader wants to save. */
  readonly save: string | null;
  readonly fault: string | null;
  readonly mail: MailOfReader;
}

export function viewsPage(
  { views, owner, save, fault, mail }: ShownViews,
  times: Times,
  token: string,
): Page {
  const own = views.filter(({ nameKey }) => nameKey === owner);
  const others = views.filter(({ nameKey }) => nameKey !== owner);
  return {
    title: "Saved searches and views",
    section: "/mentions",
    body: html`<p class="crumb"><a href="/mentions">Mentions</a></p>
<div class="title"><h1>Saved searches and views</h1></div>
${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}${save !== null && saveForm(save, token)}
<section class="panel action-form" aria-labelledby="h-own"><h2 id="h-own">Yours</h2>
${
  own.length === 0
    ? html`<p class="empty">None. Search on the page <a href="/mentions">Mentions</a>, or look at <a href="/insights">Insights</a>, and save it there.</p>`
    : html`<ul class="views">${own.map(
        (
          view,
        ) => html`<li>${linkOf(view)}${view.isShared && html` <span class="hint">everybody sees it</span>`}
<form method="post" action="/views/end"><input type="hidden" name="token" value="${token}">
<button type="submit" name="id" value="${view.id}">Delete<span class="unseen"> ${view.title}</span></button></form>${mailForm(view, mail, token)}</li>`,
      )}</ul>`
}</section>
${
  others.length > 0 &&
  html`<section class="panel action-form" aria-labelledby="h-shared"><h2 id="h-shared">Of others</h2>
<ul class="views">${others.map(
    (view) =>
      html`<li>${linkOf(view)} <span class="hint">${foreign(view.nameKey)}, ${times.moment(view.createdAt)}</span>${mailForm(view, mail, token)}</li>`,
  )}</ul></section>`
}${views.some(isMailed) && mailHint(mail)}`,
  };
}

function isMailed({ address }: SavedView): boolean {
  return readMailedView(address) !== null;
}

/** Every Monday, or not. Nothing of a view that no mail shows. */
function mailForm(view: ListedView, mail: MailOfReader, token: string): Html | null {
  if (mail.outcome !== "Address" || !isMailed(view)) return null;
  const { id, title, mailedIn } = view;
  const hidden = html`<input type="hidden" name="token" value="${token}"><input type="hidden" name="id" value="${id}">`;
  if (mailedIn !== null)
    return html`<form method="post" action="/views/mail/end">${hidden}<span class="detail">Sent to you every Monday at 8:00, ${mailedIn}</span>
<button type="submit">Stop<span class="unseen"> the mails of ${title}</span></button></form>`;
  return html`<details><summary>Get it every Monday<span class="unseen">: ${title}</span></summary>
<form method="post" action="/views/mail">${hidden}<label>At 8:00 in
<input name="timezone" value="${mail.timezone}" list="zones" required maxlength="60" autocomplete="off"></label>
<button type="submit">Send it to me</button></form></details>`;
}

const MAIL_HINTS: Readonly<Record<Exclude<MailOfReader["outcome"], "Address">, string>> = {
  NoMailServer:
    "Views of Insights can be sent every Monday, once earshot.yaml has a receiver of the kind email.",
  NoAddress:
    "Views of Insights can be sent every Monday to users with a mail address. You have none here: an admin adds it.",
};

function mailHint(mail: MailOfReader): Html {
  if (mail.outcome !== "Address") return html`<p class="hint">${MAIL_HINTS[mail.outcome]}</p>`;
  return html`<p class="hint">Mails go to ${foreign(mail.email)}.</p>
<datalist id="zones">${Intl.supportedValuesOf("timeZone").map((zone) => html`<option value="${zone}"></option>`)}</datalist>`;
}

function saveForm(address: string, token: string): Html {
  return html`<section class="panel action-form" aria-labelledby="h-save"><h2 id="h-save">Save it</h2>
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
  const given = [...parameters].filter(([, value]) => value !== "");
  if (given.length === 0) return html`all mentions`;
  return html`${given.map(([name, value], n) => html`${n > 0 && ", "}${name} ${foreign(value.slice(0, 200))}`)}`;
}
