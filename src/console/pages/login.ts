import { type Html, html } from "../html.ts";
import { barePage } from "./bare-page.ts";

export function loginPage(form: { token: string; next: string; fault: string | null }): Html {
  return barePage(
    "Log in",
    html`<h1>Earshot</h1>
<form method="post" action="/login">
${form.fault !== null && html`<p class="fault" role="alert">${form.fault}</p>`}
<label for="username">Name</label><input id="username" name="username" autocomplete="username" required maxlength="200">
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1000">
<input type="hidden" name="token" value="${form.token}"><input type="hidden" name="next" value="${form.next}">
<button type="submit">Log in</button>
</form>`,
  );
}

/** Asks whoever gave the right password for a code of their app. */
export function codePage(form: { token: string; next: string; fault: string | null }): Html {
  return barePage(
    "Log in",
    html`<h1>Earshot</h1>
<form method="post" action="/login/code">
${form.fault !== null && html`<p class="fault" role="alert">${form.fault}</p>`}
<label for="code">Code of your app</label>
<input id="code" name="code" autocomplete="one-time-code" required maxlength="100" aria-describedby="code-hint" autofocus>
<p class="hint" id="code-hint">Six digits, or a recovery code if you have lost the app.</p>
<input type="hidden" name="token" value="${form.token}"><input type="hidden" name="next" value="${form.next}">
<button type="submit">Log in</button>
</form>
<p><a href="/login">Begin again</a></p>`,
  );
}
