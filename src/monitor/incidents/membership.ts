import type { Instant } from "../../lib/instant.ts";
import { type Alert, firedAtOf } from "../model/alert.ts";
import type { AlertEvent } from "../model/alert-action.ts";
import type { Incident, Membership } from "../model/incident.ts";
import { type IncidentStep, renotified } from "./incident-life.ts";

/** The incident that an alert has opened. */
export function openedBy(alert: Alert, incident: Incident): IncidentStep {
  const at = firedAtOf(alert);
  return {
    incident,
    entries: [{ incidentId: incident.id, at, kind: "Opened", detail: alert.because, alertId: alert.id }],
  };
}

/** The incident with one more alert. */
export function joinedBy(before: Incident, alert: Alert, at: Instant, because: string): IncidentStep {
  return {
    incident: { ...before, alerts: before.alerts + 1 },
    entries: [{ incidentId: before.id, at, kind: "Joined", detail: because, alertId: alert.id }],
  };
}

/** An incident that had ended, open again. Nobody handles it yet. */
export function reopened(incident: Incident, at: Instant): IncidentStep {
  const handling = { callingSince: at };
  return {
    incident: { ...incident, status: "open", calmSince: null, endedAt: null, uncalmUntil: at, handling },
    entries: [{ incidentId: incident.id, at, kind: "Reopened", detail: "" }],
  };
}

/** People are notified again: the alert shows a new kind of fact. */
export function withNewFact(
  incident: Incident,
  alert: Alert,
  title: string,
  at: Instant,
  quarter: number,
): IncidentStep {
  return {
    incident: { ...renotified(incident, "NewFact", at, quarter), factAt: at },
    entries: [{ incidentId: incident.id, at, kind: "NewFact", detail: title, alertId: alert.id }],
  };
}

/** What the history of each alert notes that has joined the incident of another. */
export function joinEvents(
  joined: readonly Membership[],
  incidents: ReadonlyMap<string, Incident>,
  alerts: ReadonlyMap<string, Alert>,
): AlertEvent[] {
  return joined.flatMap(({ alertId, incidentId, joinedAt, because }) => {
    const leader = alerts.get(incidents.get(incidentId)?.leaderId ?? "");
    if (leader === undefined || leader.id === alertId) return [];
    const detail = `${because}; the message about ${leader.queryName}, ${leader.rule} shows it`;
    return [{ alertId, at: joinedAt, what: "JoinedIncident", detail }];
  });
}

/** Whether messages show something else of it than before. Up to when it was checked is no news. */
export function isNews(incident: Incident, before: Incident | undefined): boolean {
  return contentOf(incident) !== contentOf(before);
}

function contentOf(incident: Incident | undefined): string {
  if (incident === undefined) return "";
  const { checkedUntil: _, peak: __, ...content } = incident;
  return JSON.stringify(content);
}
