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
