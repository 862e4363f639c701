import { counted } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import { foreign } from "./words.ts";
import { hiddenFields, type KeyHelp, type PressNotice, type WorkForm } from "./workflow.ts";

export const ALERT_WORK = ["acknowledge", "silence"] as const;
type AlertWork = (typeof ALERT_WORK)[number];

/** The bar for chosen alerts. Their boxes belong to its form, so the list has no token and can be shared and replaced. */
export function alertBar(form: WorkForm): Html {
  return html`<form id="work" class="work-bar" method="post" action="/alerts/work" hx-post="/alerts/work" hx-target="#work-notice"
  aria-label="Chosen alerts" data-keys="a acknowledge s silence">
${hiddenFields(form)}<p class="chosen" role="status"><span id="chosen">Choose alerts above.</span> <button
  type="button" id="choose-none" hidden>Choose none</button></p>
<div class="work-row">${
    form.asksName &&
    html`<label>Your name <input name="by" maxlength="80" autocomplete="name" id="your-name"></label>`
  }<button name="do" value="acknowledge">Acknowledge</button>
<button name="do" value="silence">Silence for 4 hours</button></div></form>`;
}

export function alertNotice({ fault, sentence }: PressNotice): Html {
  return html`<p class="${fault ? "fault" : "notice"}">${foreign(sentence)}</p>`;
}

/** What a press on several alerts did, and why not on some of them. */
export function describeAlertWork(
  work: AlertWork,
  done: number,
  refused: readonly { readonly name: string; readonly because: string }[],
): PressNotice {
  const words = work === "acknowledge" ? "acknowledged" : "silenced for 4 hours";
  const said = done === 0 ? "Nothing was changed." : `${counted(done, "alert")} ${words}.`;
  const not = refused.slice(0, 3).map(({ name, because }) => ` ${name}: ${because}.`);
  const more = refused.length > 3 ? ` And ${refused.length - 3} more.` : "";
  return { sentence: `${said}${not.join("")}${more}`, fault: done === 0, undo: null };
}

export const ALERT_KEYS: readonly KeyHelp[] = [
  [["j", "k"], "next, previous alert"],
  [["Enter"], "open its page"],
  [["x"], "choose it; with Shift: all from the last chosen one"],
  [["a"], "acknowledge"],
  [["s"], "silence for 4 hours"],
  [["?"], "this list"],
];
