import { STYLESHEET } from "../common/assets.ts";
import { type Html, html } from "../common/html.ts";

/**
 * A page for people without a login: a headline, a sentence, a form, and no navigation. Search engines must not list
 * it, because its address may belong to one person.
 *
 * @param goesOnTo a page of this console that the browser opens at once
 * @param head what else its head has, such as a script
 */
export function barePage(
  title: string,
  content: Html,
  goesOnTo: string | null = null,
  head: Html | null = null,
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">${goesOnTo !== null && html`<meta http-equiv="refresh" content="${`0; url=${goesOnTo}`}">`}
<title>${title} · Earshot</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${STYLESHEET.address}">${head}
</head>
<body><main class="bare${head !== null && " is-large"}">${content}</main></body>
</html>
`;
}
