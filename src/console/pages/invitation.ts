import { SHORTEST_PASSWORD } from "../auth/manage-users.ts";
import { type Html, html } from "../common/html.ts";
import { barePage } from "./bare-page.ts";

/** Somebody chooses a first password. The form goes to the address of the page, which has the code. */
export function invitationPage(form: { name: string; token: string; fault: string | null }): Html {
  return barePage(
    "Invitation",
    html`<h1>Welcome to Earshot</h1>
<p>You log in as <strong>${form.name}</strong>. Choose a password.</p>
<form method="post">
${form.fault !== null && html`<p class="fault" role="alert">${form.fault}</p>`}
<input type="hidden" name="username" value="${form.name}" autocomplete="username">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required
  minlength="${SHORTEST_PASSWORD}" maxlength="1000" aria-describedby="password-hint">
<p class="hint" id="password-hint">${SHORTEST_PASSWORD} characters or more; four words in a row are a good one.</p>
<input type="hidden" name="token" value="${form.token}">
<button type="submit">Set it and log in</button>
</form>`,
  );
}

export function invitationGonePage(): Html {
  return barePage(
    "Invitation",
    html`<h1>This link works no more</h1>
<p>It was used, or its time is over. Ask whoever invited you for another one.</p>
<p><a href="/login">Log in</a></p>`,
  );
}
