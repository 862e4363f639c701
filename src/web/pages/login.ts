import { STYLESHEET } from "../assets/asset-files.ts";
import { type Html, html } from "../html.ts";

export function loginPage(form: { token: string; next: string; fault: string | null }): Html {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Log in · Earshot</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="${STYLESHEET.address}"></head>
<body><main class="login"><h1>Earshot</h1>
<form method="post" action="/login">
${form.fault !== null && html`<p class="fault" role="alert">${form.fault}</p>`}
<label for="username">Name</label><input id="username" name="username" autocomplete="username" required maxlength="200">
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1000">
<input type="hidden" name="token" value="${form.token}"><input type="hidden" name="next" value="${form.next}">
<button type="submit">Log in</button>
</form></main></body></html>
`;
}
