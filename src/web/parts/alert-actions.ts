import { formatDuration } from "../../lib/duration.ts";
import type { Alert } from "../../model/alert.ts";
import { SILENCE_LENGTHS } from "../../model/silence.ts";
import { type Html, html } from "../html.ts";

/** The actions of an alert. The action itself checks again whether it is still possible. */
export function alertActionsPart(alert: Alert, token: string): Html | null {
  if (alert.firedAt === null) return null;
  const isOpen = alert.resolvedAt === null;
  const action = `/alerts/${alert.id}/act`;
  return html`<section class="panel action-form is-slim" aria-labelledby="h-actions"><h2 id="h-actions" class="unseen">Actions</h2>
<form method="post" action="${action}"><input type="hidden" name="token" value="${token}">${NO_DEFAULT}
<label>Your name <input name="by" maxlength="80" autocomplete="name"></label>
${
  isOpen &&
  html`<button type="submit" name="do" value="acknowledge" class="is-first">Acknowledge</button>
<button type="submit" name="do" value="resolve">Resolve</button>`
}
<button type="submit" name="do" value="not-relevant">Not relevant</button>
${
  isOpen &&
  html`<details class="whole"><summary>Assign or snooze</summary><div class="row">
<label>Assign to <input name="to" maxlength="80"></label> <button type="submit" name="do" value="assign">Assign</button>
<label>Snooze for ${lengthChoice()}</label> <button type="submit" name="do" value="silence">Snooze</button></div></details>`
}
</form></section>`;
}

/**
 * Enter in a field submits with the form's first button, and does nothing if that is disabled. So typing a name cannot
 * mark an alert as not relevant.
 */
const NO_DEFAULT = html`<button type="submit" disabled hidden></button>`;

export function lengthChoice(
  name = "length",
  lengths: readonly number[] = SILENCE_LENGTHS,
  chosen: number = SILENCE_LENGTHS[2],
): Html {
  return html`<select name="${name}">${lengths.map(
    (ms) =>
      html`<option value="${formatDuration(ms)}"${ms === chosen && html` selected`}>${formatDuration(ms)}</option>`,
  )}</select>`;
}
