import { nameKey, type StoredSession, type StoredToken, type StoredUser, UserRole } from "#monitor";
import type { Instant } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import type { Page } from "../parts/page.ts";
import { foreign } from "../parts/words.ts";

interface ShownUsers {
  readonly stored: readonly StoredUser[];
  readonly ofFile: readonly { readonly name: string; readonly role: UserRole }[];
  /** Keys of the names with a second factor. */
  readonly factors: readonly string[];
  readonly sessions: readonly StoredSession[];
  readonly tokens: readonly StoredToken[];
  /** A password that was just made up: it is shown once. */
  readonly made: { readonly name: string; readonly password: string } | null;
  /** The link of an invitation that was just made: it is shown once. */
  readonly invited: { readonly name: string; readonly link: string; readonly until: Instant } | null;
  readonly fault: string | null;
}

/** Who may log in, for admins. */
export function usersPage(shown: ShownUsers, times: Times, token: string): Page {
  const { stored, ofFile, made, invited, fault } = shown;
  const live = stored.filter(({ endedAt }) => endedAt === null);
  const ended = stored.filter(({ endedAt }) => endedAt !== null);
  return {
    title: "Users",
    section: null,
    body: html`<p class="crumb"><a href="/account">Account</a></p>
<div class="title"><h1>Users</h1><p class="hint"><a href="/audit">Audit log</a>: who changed what</p></div>
${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}
${
  made !== null &&
  html`<section class="panel" aria-labelledby="h-made"><h2 id="h-made">The first password of ${made.name}</h2>
<p>Copy it now: it is not shown again.</p><p><code class="secret">${made.password}</code></p></section>`
}
${
  invited !== null &&
  html`<section class="panel" aria-labelledby="h-invited"><h2 id="h-invited">The invitation of ${invited.name}</h2>
<p>Send this link to ${invited.name}: it sets a password, works once, until ${times.moment(invited.until)}, and is not shown again.</p>
<p><code class="secret">${invited.link}</code></p></section>`
}
<section class="panel action-form" aria-labelledby="h-users"><h2 id="h-users">Who may log in</h2>
<div class="scrolls" tabindex="0" role="group" aria-labelledby="h-users"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Role</th><th scope="col">Since</th><th scope="col">Open</th>
<th scope="col"><span class="unseen">Change</span></th></tr></thead>
<tbody>${ofFile.map(
      (one) =>
        html`<tr>
<th scope="row">${one.name}</th>
<td>${one.role}</td>
<td>in earshot.yaml</td>
<td>${openOf(one.name, shown)}</td>
<td>${factorButton(one.name, shown, token)}</td>
</tr>`,
    )}${live.map(
      (one) =>
        html`<tr>
<th scope="row">${one.name}</th>
<td>${roleForm(one, token)}</td>
<td>${times.moment(one.createdAt)}, by ${foreign(one.createdBy)}</td>
<td>${openOf(one.name, shown)}</td>
<td class="presses">${ownPasswordButtons(one, token)}
${factorButton(one.name, shown, token)}${changeButton(one.name, "end", "End", token)}</td>
</tr>`,
    )}</tbody></table></div></section>
<section class="panel action-form" aria-labelledby="h-new"><h2 id="h-new">Add a user</h2>
<p class="hint">A first password is made up and shown once. The user changes it on the page Account.</p>
<form method="post" action="/users"><input type="hidden" name="token" value="${token}">
<label>Name <input name="name" maxlength="80" required></label>
<label>Role <select name="role">${UserRole.options.map((role) => html`<option value="${role}">${role}</option>`)}</select></label>
<button type="submit">Add</button></form></section>
${
  ended.length > 0 &&
  html`<section class="panel action-form" aria-labelledby="h-ended"><h2 id="h-ended">Ended</h2>
<ul>${ended.map(
    (one) =>
      html`<li>${one.name}, ${one.role}, ended ${times.moment(one.endedAt ?? 0)} ${changeButton(one.name, "restore", "Restore", token)}</li>`,
  )}</ul></section>`
}`,
  };
}

function openOf(name: string, shown: ShownUsers): string {
  const of = (all: readonly { readonly nameKey: string }[]) =>
    all.filter((one) => one.nameKey === nameKey(name)).length;
  const factor = shown.factors.includes(nameKey(name)) ? ", second factor" : "";
  return `${counted(of(shown.sessions), "session")}, ${counted(of(shown.tokens), "token")}${factor}`;
}

/** Who logs in elsewhere has no password here. */
function ownPasswordButtons({ name, openId }: StoredUser, token: string): Html | false {
  return (
    openId === null &&
    html`${changeButton(name, "invite", "Invitation", token)}${changeButton(name, "password", "New password", token)}`
  );
}

/** For whoever lost the app and the recovery codes. */
function factorButton(name: string, { factors }: ShownUsers, token: string): Html | false {
  return factors.includes(nameKey(name)) && changeButton(name, "second-factor", "Reset second factor", token);
}

function roleForm(user: StoredUser, token: string): Html {
  return html`<form method="post" action="/users/change"><input type="hidden" name="token" value="${token}">
<input type="hidden" name="name" value="${user.name}">
<select name="role" aria-label="Role of ${user.name}">${UserRole.options.map(
    (role) => html`<option value="${role}"${role === user.role && html` selected`}>${role}</option>`,
  )}</select>
<button type="submit" name="do" value="role">Set</button></form>`;
}

function changeButton(name: string, what: string, label: string, token: string): Html {
  return html`<form method="post" action="/users/change"><input type="hidden" name="token" value="${token}">
<input type="hidden" name="name" value="${name}">
<button type="submit" name="do" value="${what}">${label}<span class="unseen"> of ${name}</span></button></form>`;
}
