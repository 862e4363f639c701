import { formatNumber } from "../../lib/numbers.ts";
import { type Html, html } from "../common/html.ts";
import { alertList } from "./alert-list.ts";
import { type Attention, groupByAttention } from "./attention.ts";
import { incidentList } from "./incident-panel.ts";
import type { PageParts } from "./page.ts";

/** What is open, the most important first: so many incidents, and so many alerts that are in none. */
export async function openAlertsPart(
  { facts, times }: PageParts,
  most: number,
  isWorkedOn = false,
): Promise<Html> {
  const [incidents, alerts, count, quietSince] = await Promise.all([
    facts.openIncidents(most),
    facts.openAlertsAlone(most),
    facts.countOpenAlerts(),
    facts.quietSince(),
  ]);
  if (incidents.length === 0 && count === 0)
    return quietSince === null
      ? html`<p class="empty">No alert is open.</p>`
      : html`<p class="lead">All quiet since ${times.moment(quietSince)}.</p>`;
  const groups = groupByAttention(incidents, alerts, times.now());
  const list = html`${groups[0]?.attention !== "NeedsSomebody" && html`<p class="lead">Nothing needs anybody.</p>`}${groups.map(
    (group) => html`<h3 class="attention">${HEADINGS[group.attention]}</h3>
${incidentList(group.incidents, times, isWorkedOn)}${group.alerts.length > 0 && alertList(group.alerts, times, "", isWorkedOn)}`,
  )}`;
  // Alerts of an incident are on its page, and by time in the list of all.
  if (count <= alerts.length) return list;
  return html`${list}<p class="more"><a href="/alerts?state=all">All alerts by time</a>, ${formatNumber(count)} of them open</p>`;
}

const HEADINGS: Readonly<Record<Attention, string>> = {
  NeedsSomebody: "Needs somebody",
  Handled: "Somebody has it",
  Calm: "Calm, and not over yet",
};
