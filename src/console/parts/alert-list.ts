import { type Alert, countedBy, expandReason, type ListedAlert, speakerOf } from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import { followed, foreign, shorten } from "./words.ts";

/** Alerts, one row each: severity, rule, query, since when, why. `isWorkedOn`: each has a box of the form `work`. */
export function alertList(
  alerts: readonly ListedAlert[],
  times: Times,
  empty: string,
  isWorkedOn = false,
): Html {
  if (alerts.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<ol class="alerts">${alerts.map((alert) => alertItem(alert, times, isWorkedOn))}</ol>`;
}

/** The attributes and the box of a row that keys move to. */
export function workableRow(id: string, name: string): { readonly attributes: Html; readonly box: Html } {
  return {
    attributes: html` id="row-${id}-item" tabindex="-1"`,
    box: html`<label class="choose"><input type="checkbox" form="work" name="alert" id="row-${id}-box" value="${id}"><span
  class="unseen">Choose ${name}</span></label>`,
  };
}

/** What happened, and in grey how sure that is. */
function becauseOf({ because }: Alert): Html {
  const end = because.search(/[.;] (?=\S)/) + 1;
  return end === 0
    ? html`${because}`
    : html`${because.slice(0, end)}<span class="detail">${because.slice(end)}</span>`;
}

/** Who said what in the newest mention that met the rule; null for an alert on counts. */
export function saidIn({ newestMention: mention }: ListedAlert, length = 200): Html | null {
  if (mention == null) return null;
  const { title, text, followers } = mention;
  const reach = followers !== null && followers > 0 ? ` (${followed(followers)})` : "";
  const speaker = shorten(speakerOf(mention) ?? "unknown author", 60);
  return html`<strong>${foreign(speaker)}</strong>${reach}: ${shorten(title ?? text ?? "a mention without text", length)}`;
}

function alertItem(alert: ListedAlert, times: Times, isWorkedOn: boolean): Html {
  const said = saidIn(alert);
  const row = isWorkedOn ? workableRow(alert.id, `${alert.queryName}: ${times.titleOf(alert.rule)}`) : null;
  return html`<li class="alert is-${alert.state === "resolved" ? "resolved" : alert.severity}"${row?.attributes}>
<div class="alert-head">${row?.box}${severityBadge(alert)}<h3>
<a id="alert-${alert.id}" href="/alerts/${alert.id}">${foreign(alert.queryName)}: ${times.titleOf(alert.rule)}</a>
</h3>
<span class="when">${alertSpan(alert, times)}</span>
</div>
${said !== null && html`<p class="because" dir="auto">${said}</p>`}<p class="${said === null ? "because" : "detail"}" dir="auto">${becauseOf(alert)}</p>
<div class="mention-foot"><span class="fact">${countedBy(alert)}${alert.state !== "resolved" && " so far"}</span>${labelsOf(alert)}</div>
</li>`;
}

/** The severity, and the state if the alert is not firing. */
export function severityBadge(alert: Pick<Alert, "severity" | "state">): Html {
  const state = alert.state === "firing" ? null : alert.state;
  return html`<span class="badge is-${alert.state === "resolved" ? "resolved" : alert.severity}">${alert.severity}</span>${
    state !== null && html`<span class="badge is-state">${state}</span>`
  }`;
}

export function alertSpan(alert: Alert, times: Times): Html {
  if (alert.resolvedAt === null) return html`since ${times.moment(alert.openedAt)}`;
  const lasted = formatDuration(Math.max(0, alert.resolvedAt - alert.openedAt));
  return html`${times.moment(alert.openedAt)} to ${times.moment(alert.resolvedAt)} (${lasted})`;
}

/** The labels of its group, without the query, which the headline names. */
function labelsOf(alert: Alert): readonly Html[] {
  return (
    Object.entries(alert.labels)
      // The key of a story means nothing to a reader.
      .filter(([label]) => label !== "query" && label !== "story")
      .map(([label, value]) => html`<span class="fact">${expandReason(label)}: ${foreign(value)}</span>`)
  );
}
