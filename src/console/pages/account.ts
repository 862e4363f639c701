import {
  ROLE_WORDS,
  SCOPE_WORDS,
  type SlackPerson,
  type StoredSession,
  type StoredToken,
  TokenScope,
} from "#monitor";
import type { AppSecret } from "../auth/second-factor.ts";
import { hasOwnPassword, type User } from "../auth/users.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { Page } from "../parts/page.ts";
import { qrCode } from "../parts/qr-code.ts";
import { foreign } from "../parts/words.ts";

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
  /** Who this user is in Slack. */
  readonly slack: readonly SlackPerson[];
  /** A code to type into Slack: it is shown once. */
  readonly slackCode: string | null;
  /** Recovery codes that are left; null without a second factor. */
  readonly recoveryLeft: number | null;
  /** The secret of a second factor that is not confirmed yet. */
  readonly begun: AppSecret | null;
  /** New recovery codes: they are shown once. */
  readonly recovery: readonly string[] | null;
  readonly fault: string | null;
}

/** One's own role, password, sessions and tokens. */
export function accountPage(account: Account, times: Times, token: string): Page {
  const { user, sessions, session, tokens, made, recovery, fault } = account;
  return {
    title: "Account",
    section: null,
    body: html`<div class="title"><h1>${user.name}</h1><p class="hint">${user.role}: ${ROLE_WORDS[user.role]}</p></div>
${user.role === "admin" && html`<p><a href="/users">Users</a> · <a href="/audit">Audit log</a></p>`}
${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}
${made !== null && madeToken(made)}${recovery !== null && recoveryCodes(recovery)}
<section class="panel action-form" aria-labelledby="h-sessions">
<h2 id="h-sessions">Where you are logged in</h2>${sessionTable(sessions, session, times, token)}</section>
<section class="panel action-form" aria-labelledby="h-tokens"><h2 id="h-tokens">Tokens of programs</h2>
<p class="hint">A program sends one as <code>Authorization: Bearer TOKEN</code>.
It may do what you may, within its scope, and no longer than you may.</p>
${tokenTable(tokens, times, token)}${newToken(token)}</section>
${hasOwnPassword(user) && secondFactor(account, token)}
${user.kept !== "Login" && slackLinks(account, times, token)}
${user.kept === "Database" ? passwordForm(token) : html`<p class="hint">${ELSEWHERE[user.kept]}</p>`}`,
  };
}

const ELSEWHERE: Readonly<Record<Exclude<User["kept"], "Database">, string>> = {
  Login: "Your password stands in earshot.yaml.",
  File: "Your password stands in earshot.yaml.",
  OpenId: "You log in elsewhere: your password is not kept here.",
};

function secondFactor({ begun, recoveryLeft }: Account, token: string): Html {
  return html`<section class="panel action-form" aria-labelledby="h-factor"><h2 id="h-factor">Second factor</h2>
${begun !== null ? confirmForm(begun, token) : recoveryLeft === null ? beginForm(token) : endForm(recoveryLeft, token)}</section>`;
}

function slackLinks({ slack, slackCode }: Account, times: Times, token: string): Html {
  return html`<section class="panel action-form" aria-labelledby="h-slack"><h2 id="h-slack">Slack</h2>
${
  slackCode !== null &&
  html`<p>Type this in Slack, within ten minutes. It is not shown again, and is for you alone: whoever types it acts in your name.</p>
<p><code class="secret">/earshot link ${slackCode}</code></p>`
}
${
  slack.length === 0
    ? html`<p class="hint">What you click in Slack carries the name that Slack gives you. Link it once, and it carries yours.</p>`
    : html`<ul>${slack.map(
        ({ teamId, userId, slackName, linkedAt }) =>
          html`<li>${foreign(slackName)} (${userId}), since ${times.moment(linkedAt)}
<form method="post" action="/account/slack/end"><input type="hidden" name="token" value="${token}">
<input type="hidden" name="team" value="${teamId}">
<button type="submit" name="id" value="${userId}">Unlink<span class="unseen"> ${slackName}</span></button></form></li>`,
      )}</ul>`
}
<form method="post" action="/account/slack"><input type="hidden" name="token" value="${token}">
<button type="submit">Get a code for Slack</button></form></section>`;
}

function beginForm(token: string): Html {
  return html`<p class="hint">Off. With it a login asks for a code of an app on your phone, too, and a stolen password is worth little.
Programs that send your password need a token then.</p>
<form method="post" action="/account/second-factor"><input type="hidden" name="token" value="${token}">
<label>Password <input name="password" type="password" autocomplete="current-password" required maxlength="1000"></label>
<button type="submit">Set it up</button></form>`;
}

function confirmForm({ secret, address }: AppSecret, token: string): Html {
  return html`<p>Read this picture with an app such as Aegis, Google Authenticator or 1Password, or type the key into it.</p>
<div class="qr">${qrCode(address, "The key as a picture for an app")}</div>
<p>Key: <code class="secret">${(secret.match(/.{1,4}/g) ?? []).join(" ")}</code></p>
<form method="post" action="/account/second-factor/confirm"><input type="hidden" name="token" value="${token}">
<label>Code <input name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="10"></label>
<button type="submit">Turn it on</button></form>`;
}

function endForm(recoveryLeft: number, token: string): Html {
  return html`<p>On. Recovery codes left: ${recoveryLeft}.${recoveryLeft < 3 && html` Set it up anew to get ten more: turn it off, then on.`}</p>
<form method="post" action="/account/second-factor/end"><input type="hidden" name="token" value="${token}">
<label>Code <input name="code" autocomplete="one-time-code" required maxlength="100"></label>
<button type="submit">Turn it off</button></form>`;
}

function recoveryCodes(codes: readonly string[]): Html {
  return html`<section class="panel" aria-labelledby="h-recovery"><h2 id="h-recovery">Your recovery codes</h2>
<p>Each logs you in once without the app. Keep them where the phone is not: they are not shown again.</p>
<ul class="codes">${codes.map((code) => html`<li><code class="secret">${code}</code></li>`)}</ul></section>`;
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
  return html`<div class="scrolls" tabindex="0" role="group" aria-labelledby="h-sessions"><table>
<thead><tr><th scope="col">Browser</th><th scope="col">From</th><th scope="col">Used</th><th scope="col">Until</th><td></td></tr></thead>
<tbody>${sessions.map(
    (one) =>
      html`<tr>
<th scope="row">${foreign(describeAgent(one.agent))}${one.id === own && html` <span class="hint">this one</span>`}</th>
<td>${foreign(one.address)}</td>
<td>${times.moment(one.seenAt)}</td>
<td>${times.moment(one.until)}</td>
<td>${one.id !== own && endButton("/account/sessions/end", one.id, `the session of ${describeAgent(one.agent)} from ${one.address}`, token)}</td>
</tr>`,
  )}</tbody></table></div>${
    sessions.length > 1 &&
    html`<form method="post" action="/account/sessions/end"><input type="hidden" name="token" value="${token}">
<button type="submit" name="id" value="others">End all others</button></form>`
  }`;
}

function tokenTable(tokens: readonly StoredToken[], times: Times, token: string): Html {
  if (tokens.length === 0) return html`<p class="empty">There is no token.</p>`;
  return html`<div class="scrolls" tabindex="0" role="group" aria-labelledby="h-tokens"><table>
<thead><tr><th scope="col">For</th><th scope="col">Scope</th><th scope="col">Used</th><th scope="col">Until</th><td></td></tr></thead>
<tbody>${tokens.map(
    (one) =>
      html`<tr>
<th scope="row">${foreign(one.label)}</th>
<td>${one.scope}</td>
<td>${one.usedAt === null ? "never" : html`${times.moment(one.usedAt)} from ${foreign(one.usedFrom ?? "")}`}</td>
<td>${times.moment(one.until)}</td>
<td>${endButton("/account/tokens/end", one.id, `the token ${one.label}`, token)}</td>
</tr>`,
  )}</tbody></table></div>`;
}

function endButton(action: string, id: string, what: string, token: string): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="token" value="${token}">
<button type="submit" name="id" value="${id}">End<span class="unseen"> ${what}</span></button></form>`;
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
function describeAgent(agent: string): string {
  const browser = ["Edg", "OPR", "Firefox", "Chrome", "Safari", "curl"].find((name) => agent.includes(name));
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((name) =>
    agent.includes(name),
  );
  const known = browser === "Edg" ? "Edge" : browser === "OPR" ? "Opera" : browser;
  if (known === undefined) return agent === "" ? "unknown" : agent.slice(0, 60);
  return system === undefined ? known : `${known} on ${system}`;
}
