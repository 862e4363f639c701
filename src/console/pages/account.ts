import { ROLE_WORDS, SCOPE_WORDS, type StoredSession, type StoredToken, TokenScope } from "#monitor";
import type { User } from "../auth/users.ts";
import { type Html, html } from "../html.ts";
import { foreign } from "../parts/words.ts";
import type { Times } from "../times.ts";
import type { Page } from "./page.ts";

/** How long a token may last, for the form. */
export const TOKEN_LENGTHS = ["7d", "30d", "90d", "365d"] as const;

interface Account {
  readonly user: User;
  readonly sessions: readonly StoredSession[];
  /** The one of this request. */
  readonly session: string | null;
  readonly tokens: readonly StoredToken[];
  /** A token that was just made: it is shown once. */
  readonly made: string | null;
  readonly fault: string | null;
}

/** One's own role, password, sessions and tokens. */
export function accountPage(account: Account, times: Times, token: string): Page {
  const { user, sessions, session, tokens, made, fault } = account;
  return {
    title: "Account",
    section: null,
    body: html`<div class="title"><h1>${user.name}</h1><p class="hint">${user.role}: ${ROLE_WORDS[user.role]}</p></div>
${user.role === "admin" && html`<p><a href="/users">Users</a> · <a href="/audit">Audit log</a></p>`}
${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}
${made !== null && madeToken(made)}
<section class="panel action-form" aria-labelledby="h-sessions">
<h2 id="h-sessions">Where you are logged in</h2>${sessionTable(sessions, session, times, token)}</section>
<section class="panel action-form" aria-labelledby="h-tokens"><h2 id="h-tokens">Tokens of programs</h2>
<p class="hint">A program sends one as <code>Authorization: Bearer TOKEN</code>.
It may do what you may, within its scope, and no longer than you may.</p>
${tokenTable(tokens, times, token)}${newToken(token)}</section>
${user.kept === "Database" ? passwordForm(token) : html`<p class="hint">Your password stands in earshot.yaml.</p>`}`,
  };
}

function madeToken(text: string): Html {
  return html`<section class="panel" aria-labelledby="h-made"><h2 id="h-made">The new token</h2>
<p>Copy it now: it is not shown again.</p>
<p><code class="secret">${text}</code></p></section>`;
}

function sessionTable(
  sessions: readonly StoredSession[],
  own: string | null,
  times: Times,
  token: string,
): Html {
  return html`<div class="scrolls"><table>
<thead><tr><th scope="col">Browser</th><th scope="col">From</th><th scope="col">Used</th><th scope="col">Until</th><th scope="col"></th></tr></thead>
<tbody>${sessions.map(
    (one) =>
      html`<tr>
<th scope="row">${foreign(describeAgent(one.agent))}${one.id === own && html` <span class="hint">this one</span>`}</th>
<td>${foreign(one.address)}</td>
<td>${times.moment(one.seenAt)}</td>
<td>${times.moment(one.until)}</td>
<td>${one.id !== own && endButton("/account/sessions/end", one.id, token)}</td>
</tr>`,
  )}</tbody></table></div>${
    sessions.length > 1 &&
    html`<form method="post" action="/account/sessions/end"><input type="hidden" name="token" value="${token}">
<button type="submit" name="id" value="others">End all others</button></form>`
  }`;
}

function tokenTable(tokens: readonly StoredToken[], times: Times, token: string): Html {
  if (tokens.length === 0) return html`<p class="empty">There is no token.</p>`;
  return html`<div class="scrolls"><table>
<thead><tr><th scope="col">For</th><th scope="col">Scope</th><th scope="col">Used</th><th scope="col">Until</th><th scope="col"></th></tr></thead>
<tbody>${tokens.map(
    (one) =>
      html`<tr>
<th scope="row">${foreign(one.label)}</th>
<td>${one.scope}</td>
<td>${one.usedAt === null ? "never" : html`${times.moment(one.usedAt)} from ${foreign(one.usedFrom ?? "")}`}</td>
<td>${times.moment(one.until)}</td>
<td>${endButton("/account/tokens/end", one.id, token)}</td>
</tr>`,
  )}</tbody></table></div>`;
}

function endButton(action: string, id: string, token: string): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="token" value="${token}">
<button type="submit" name="id" value="${id}">End</button></form>`;
}

function newToken(token: string): Html {
  return html`<form method="post" action="/account/tokens"><input type="hidden" name="token" value="${token}">
<label>For <input name="label" maxlength="80" required placeholder="prometheus"></label>
<label>Scope <select name="scope">${TokenScope.options.map(
    (scope) => html`<option value="${scope}">${scope}: ${SCOPE_WORDS[scope]}</option>`,
  )}</select></label>
<label>Lasts <select name="length">${TOKEN_LENGTHS.map(
    (length) => html`<option value="${length}"${length === "90d" && html` selected`}>${length}</option>`,
  )}</select></label>
<button type="submit">Make a token</button></form>`;
}

function passwordForm(token: string): Html {
  return html`<section class="panel action-form" aria-labelledby="h-password"><h2 id="h-password">Change the password</h2>
<p class="hint">Twelve characters or more. Your other sessions end.</p>
<form method="post" action="/account/password"><input type="hidden" name="token" value="${token}">
<label>Now <input name="old" type="password" autocomplete="current-password" required maxlength="1000"></label>
<label>New <input name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="1000"></label>
<button type="submit">Change it</button></form></section>`;
}

/** `Firefox on Linux`, as far as a browser says it. */
export function describeAgent(agent: string): string {
  const browser = ["Edg", "OPR", "Firefox", "Chrome", "Safari", "curl"].find((name) => agent.includes(name));
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((name) =>
    agent.includes(name),
  );
  const known = browser === "Edg" ? "Edge" : browser === "OPR" ? "Opera" : browser;
  if (known === undefined) return agent === "" ? "unknown" : agent.slice(0, 60);
  return system === undefined ? known : `${known} on ${system}`;
}
