import { type AuthorListing, LONGEST_LIST_NAME, LONGEST_LIST_NOTE } from "#monitor";
import { type Html, html } from "../common/html.ts";
import { foreign, shorten } from "./words.ts";

/** The lists on which an author is, each with its note, for the foot of a mention. */
export function listFacts(lists: readonly AuthorListing[] | undefined): readonly Html[] {
  return (lists ?? []).map(
    ({ list, note }) =>
      html`<span class="work is-list"><span class="unseen">author on the list </span>${foreign(list)}${
        note !== "" && html`<span class="list-note">: ${foreign(shorten(note, 100))}</span>`
      }</span>`,
  );
}

/** What a form about lists needs. */
export interface ListForm {
  readonly token: string;
  readonly asksName: boolean;
  /** Lists that there are; any other name may be typed. */
  readonly names: readonly string[];
  /** The page to come back to. */
  readonly back: string;
}

/** Puts an author on a list. `author` null: the reader types one. */
export function listForm(
  { token, asksName, names, back }: ListForm,
  {
    author,
    name = null,
    site = null,
  }: { readonly author: string | null; readonly name?: string | null; readonly site?: string | null },
): Html {
  return html`<form method="post" action="/lists">
<input type="hidden" name="token" value="${token}"><input type="hidden" name="back" value="${back}">
${
  author === null
    ? html`<label>Handle, or name <input name="author" maxlength="200" required dir="auto"></label>
<label>Only on the site <input name="site" maxlength="200" placeholder="every site" dir="auto"></label>`
    : html`<input type="hidden" name="author" value="${author}"><input type="hidden" name="name" value="${name}">`
}${asksName && html`<label>Your name <input name="by" maxlength="80" autocomplete="name"></label>`}
<label>List <input name="list" list="author-lists" maxlength="${LONGEST_LIST_NAME}" required autocomplete="off" dir="auto"></label>
<datalist id="author-lists">${namesToChoose(names).map((one) => html`<option value="${one}"></option>`)}</datalist>
<label class="grows">Note <input name="note" maxlength="${LONGEST_LIST_NOTE}" dir="auto"></label>
${
  author !== null &&
  site !== null &&
  html`<label class="check"><input type="checkbox" name="site" value="${site}" checked> only on ${foreign(site)}</label>`
}<button type="submit">Put on the list</button></form>`;
}

/** What comms teams usually have, until there are lists of their own. */
const USUAL = ["VIP", "press", "customers"];

function namesToChoose(names: readonly string[]): readonly string[] {
  const own = new Set(names.map((name) => name.toLowerCase()));
  return [...names, ...USUAL.filter((name) => !own.has(name.toLowerCase()))];
}
