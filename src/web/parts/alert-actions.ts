import { formatDuration } from "../../lib/duration.ts";
import type { Alert } from "../../model/alert.ts";
import { SILENCE_LENGTHS } from "../../model/silence.ts";
import { type Html, html } from "../html.ts";

/** What can be done about an alert. Whether it still can be is asked again when it is done. */
export function alertActionsPart(alert: Alert, token: string): Html | null {
  if (alert.firedAt === null) return null;
  const isOpen = alert.resolvedAt === null;
  const action = `/alerts/${alert.id}/act`;
  return html`<section class="panel desk is-slim" aria-labelledby="h-desk"><h2 id="h-desk" class="unseen">Do something about it</h2>
<form method="post" action="${action}"><input type="hidden" name="token" value="${token}">${NO_DEFAULT}
<label>Your name <input name="by" maxlength="80" autocomplete="name"></label>
${
  isOpen &&
  html`<button type="submit" name="do" value="acknowledge" class="is-first">I have it in hand</button>
<button type="submit" name="do" value="resolve">It is over</button>`
}
<button type="submit" name="do" value="not-relevant">Not relevant</button>
${
  isOpen &&
  html`<details class="whole"><summary>Give it to somebody, or silence it</summary><div class="row">
<label>Give it to <input name="to" maxlength="80"></label> <button type="submit" name="do" value="assign">Assign</button>
<label>Silence it for ${lengthChoice()}</label> <button type="submit" name="do" value="silence">Silence</button></div></details>`
}
</form></section>`;
}

/**
 * Enter in a field presses the first button of its form, and does nothing where that is disabled: nobody says "not
 * relevant" by typing a name.
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
