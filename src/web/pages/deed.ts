import type { Alert } from "../../model/alert.ts";
import { STYLESHEET } from "../assets/asset-files.ts";
import { type Html, html } from "../html.ts";
import { foreign, spellOut } from "../parts/words.ts";

/**
 * Where a link in a mail leads. Looking does nothing, for mail programs and scanners open links by themselves: only the
 * button does. It shows no more of the alert than the mail did.
 */
export function deedPage(shown: {
  readonly alert: Alert;
  readonly label: string;
  readonly action: string;
}): Html {
  return frame(html`<h1>${foreign(shown.alert.queryName)}: ${spellOut(shown.alert.rule)}</h1>
<p dir="auto">${shown.alert.because}</p>
<form method="post" action="${shown.action}"><button type="submit">${shown.label}</button></form>`);
}

export function deedDonePage(sentence: string): Html {
  return frame(html`<h1>Earshot</h1><p role="status">${sentence}</p>`);
}

function frame(content: Html): Html {
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>Earshot</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="${STYLESHEET.address}"></head>
<body><main class="login">${content}</main></body></html>
`;
}
