import { type Alert, SILENCE_LENGTHS } from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { DAY } from "../../lib/instant.ts";
import { WEEKDAYS } from "../../lib/local-time.ts";
import { type Html, html } from "../common/html.ts";
import { RECURRING_LENGTHS } from "../common/silence-form.ts";

/** What the forms of a reader need. */
export interface ReaderForm {
  readonly token: string;
  /** Nobody knows who it is: there is no login, or several people share it. */
  readonly asksName: boolean;
}

const NAME_FIELD = html`<label>Your name <input name="by" maxlength="80" autocomplete="name"></label>`;

/** The actions of an alert. The action itself checks again whether it is still possible. */
export function alertActionsPart(alert: Alert, { token, asksName }: ReaderForm): Html | null {
  if (alert.firedAt === null) return null;
  const isOpen = alert.resolvedAt === null;
  const action = `/alerts/${alert.id}/act`;
  return html`<section class="panel action-form is-slim" aria-labelledby="h-actions"><h2 id="h-actions" class="unseen">Actions</h2>
<form method="post" action="${action}"><input type="hidden" name="token" value="${token}">${NO_DEFAULT}
${asksName && NAME_FIELD}
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

function lengthChoice(
  name = "length",
  lengths: readonly number[] = SILENCE_LENGTHS,
  chosen: number = SILENCE_LENGTHS[2],
): Html {
  return html`<select name="${name}">${lengths.map(
    (ms) =>
      html`<option value="${formatDuration(ms)}"${ms === chosen && html` selected`}>${formatDuration(ms)}</option>`,
  )}</select>`;
}

/** Adds a silence without matchers: what, how long, and, in a folded part, only at recurring times. */
export function silenceForm(zone: string, { token, asksName }: ReaderForm): Html {
  return html`<form method="post" action="/silences"><input type="hidden" name="token" value="${token}">
<label>Query <input name="query" maxlength="200" placeholder="Acme*"></label>
<label>Rule <input name="rule" maxlength="200" placeholder="volume-*"></label>
<label>Label <input name="label" maxlength="200" placeholder="author=bot*"></label>
<label>Severity <select name="severity">
<option value="any">any</option>
<option value="below-critical">all but critical</option>
<option value="below-warning">info only</option>
</select></label>
<label>For ${lengthChoice()}</label>
<label>Because <input name="comment" maxlength="300" placeholder="release day"></label>
${asksName && NAME_FIELD}
<details class="whole"><summary>Only at certain times, every week</summary>
<p class="hint">If the end is before the start, it ends on the next day.
The days are those of the start.
Times follow the local clock, also when clocks change.</p>
<fieldset class="days"><legend>Days (none checked: every day)</legend>${WEEKDAYS.map(
    (day) => html`<label><input type="checkbox" name="days" value="${day}"> ${day}</label>`,
  )}</fieldset>
<div class="row">
<label>From <input name="from" inputmode="numeric" maxlength="5" pattern="([01]?[0-9]|2[0-3]):[0-5][0-9]" placeholder="22:00"
  title="a time such as 22:00"></label>
<label>To <input name="to" inputmode="numeric" maxlength="5" pattern="([01]?[0-9]|2[0-4]):[0-5][0-9]" placeholder="07:00" title="a time such as 07:00"></label>
<label>Time zone <input name="timezone" maxlength="60" value="${zone}"></label>
<label>For, instead of the above ${lengthChoice("recurringLength", RECURRING_LENGTHS, 30 * DAY)}</label></div>
</details>
<button type="submit">Silence</button></form>`;
}
