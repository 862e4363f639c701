import { type Html, html } from "../common/html.ts";
import { barePage } from "./bare-page.ts";

interface LoginForm {
  readonly token: string;
  readonly next: string;
  readonly fault: string | null;
  /** A login elsewhere, and what people call that place. */
  readonly elsewhere: { readonly address: string; readonly label: string } | null;
}

export function loginPage(form: LoginForm): Html {
  return barePage(
    "Log in",
    html`<h1>Earshot</h1>
${
  form.elsewhere !== null &&
  html`<p><a class="elsewhere" href="${form.elsewhere.address}?next=${encodeURIComponent(form.next)}">Log in with ${form.elsewhere.label}</a></p>
<p class="hint">Or with a password of Earshot:</p>`
}
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

/** After a login at a provider: goes on by itself. */
export function continuePage(next: string): Html {
  return barePage(
    "Logged in",
    html`<h1>You are logged in</h1><p><a href="${next}">Go on to Earshot</a></p>`,
    next,
  );
}

export function openIdFaultPage(sentence: string): Html {
  return barePage(
    "Log in",
    html`<h1>Earshot</h1><p class="fault" role="alert">${sentence}</p><p><a href="/login">Back to the login</a></p>`,
  );
}
