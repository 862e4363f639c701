import type { Alert } from "#monitor";
import { type Html, html } from "../common/html.ts";
import { foreign } from "../parts/words.ts";
import { barePage } from "./bare-page.ts";

/**
 * The page of a link in a mail. Opening it changes nothing, because mail programs and scanners open links by
 * themselves; only the button acts. It shows no more of the alert than the mail did.
 */
export function actionPage(shown: {
  readonly alert: Alert;
  /** Of its rule. */
  readonly title: string;
  readonly label: string;
  readonly action: string;
  /** Whether an assignee must be given. */
  readonly asksWho: boolean;
}): Html {
  return barePage(
    "Alert actions",
    html`<h1>${foreign(shown.alert.queryName)}: ${shown.title}</h1>
<p dir="auto">${shown.alert.because}</p>
<form method="post" action="${shown.action}">${
      shown.asksWho && html`<label>To <input name="to" maxlength="80" required></label>`
    }<button type="submit">${shown.label}</button></form>`,
  );
}

export function actionDonePage(sentence: string): Html {
  return barePage("Alert actions", html`<h1>Earshot</h1><p role="status">${sentence}</p>`);
}
