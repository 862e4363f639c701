import {
  type Alert,
  expandReason,
  type Incident,
  type IncidentEntry,
  type ListedIncident,
  type ShownIncident,
  wordsOf,
} from "#monitor";
import { counted } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import type { Times } from "../common/times.ts";
import { workableRow } from "./alert-list.ts";
import { foreign, shorten } from "./words.ts";

/** Incidents that have not ended, one row each. The page of the alert that began it is the page of the incident. */
export function incidentList(
  incidents: readonly ListedIncident[],
  times: Times,
  /** Whether each has a box of the form `work`, for that alert. */
  isWorkedOn = false,
): Html | null {
  if (incidents.length === 0) return null;
  const rowOf = ({ incident, rule }: ListedIncident) =>
    isWorkedOn
      ? workableRow(incident.leaderId, `${incident.queryName}: ${times.titleOf(rule)}`)
      : { attributes: null, box: null };
  return html`<ol class="alerts">${incidents.map((one) => {
    const { incident, rule, about } = one;
    const row = rowOf(one);
    return html`<li class="alert is-${incident.severity}"${row.attributes}>
<div class="alert-head">${row.box}${incidentBadge(incident)}
<h3><a id="incident-${incident.id}" href="/alerts/${incident.leaderId}">${foreign(incident.queryName)}: ${times.titleOf(rule)}</a></h3>
<span class="when">${incidentSpan(incident, times)}</span></div>
${about !== null && html`<p class="because" dir="auto">“${shorten(about.title ?? about.text ?? "", 160)}”</p>`}
<p class="${about === null ? "because" : "detail"}">${incidentStatus(incident, times)}</p>
<div class="mention-foot"><span class="fact">${counted(incident.alerts, "alert")}</span></div>
</li>`;
  })}</ol>`;
}

/** What happened to an incident; of an alert that joined it, or was taken out, which one. */
export function entryWords(
  { kind, alertId }: IncidentEntry,
  members: readonly Alert[],
  times: Times,
): string {
  const alert = OF_AN_ALERT.has(kind) ? members.find(({ id }) => id === alertId) : undefined;
  return alert === undefined ? wordsOf(kind) : `${wordsOf(kind)}: ${times.titleOf(alert.rule)}`;
}

const OF_AN_ALERT: ReadonlySet<IncidentEntry["kind"]> = new Set(["Joined", "NewFact", "Split"]);

/** The status of an incident, its alerts and its timeline, for the pages of its alerts. */
export function incidentPanel(
  { incident, members, entries }: ShownIncident,
  times: Times,
  alertId: string,
): Html {
  return html`<section class="panel" aria-labelledby="h-incident"><h2 id="h-incident">Incident</h2>
<p class="alert-line">${incidentBadge(incident)} ${incidentSpan(incident, times)} · ${incidentStatus(incident, times)}</p>
<ul class="timeline">${members.map(
    (one) => html`<li><span class="when">${times.moment(one.firedAt ?? one.openedAt)}</span>
<span>${nameOf(one, times, alertId)}, ${one.severity}, ${one.state}</span></li>`,
  )}</ul>
<ol class="timeline">${entries.map(
    (entry) =>
      html`<li><span class="when">${times.moment(entry.at)}</span>
<span><strong>${entryWords(entry, members, times)}</strong> <span dir="auto" class="detail">${entry.detail}</span></span></li>`,
  )}</ol></section>`;
}

/** A link to the alert, but on its own page. */
function nameOf({ id, rule }: Alert, times: Times, alertId: string): Html {
  const title = times.titleOf(rule);
  return id === alertId ? html`<strong>${title}</strong>` : html`<a href="/alerts/${id}">${title}</a>`;
}

export function incidentBadge({ severity, status }: Incident): Html {
  const isOver = status === "over";
  return html`<span class="badge is-${isOver ? "resolved" : severity}">${severity}</span>
<span class="badge is-state">${expandReason(status)}</span>`;
}

export function incidentSpan({ openedAt, endedAt }: Incident, times: Times): Html {
  return endedAt === null
    ? html`since ${times.moment(openedAt)}`
    : html`${times.moment(openedAt)} to ${times.moment(endedAt)}`;
}

export function incidentStatus({ status, calmSince, handling, day }: Incident, times: Times): Html {
  const who = handling.assignee ?? handling.acknowledgedBy;
  if (status === "watching" && calmSince !== null)
    return html`Calm since ${times.moment(calmSince)}; it is watched before it is over`;
  if (status === "over")
    return html`Over${calmSince !== null && html`, calm since ${times.moment(calmSince)}`}`;
  const on = day > 1 ? `, day ${day}` : "";
  return who === undefined ? html`Nobody has taken it${on}` : html`${foreign(who)} has taken it${on}`;
}
