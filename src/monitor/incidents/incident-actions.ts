import type { Instant } from "../../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import type { Incident, IncidentEntry, IncidentEntryKind, WholeIncident } from "../model/incident.ts";
import { compareSeverity } from "../model/severity.ts";
import type { IncidentStep } from "./incident-life.ts";
import { isHandled, wavesOf } from "./incident-life.ts";

/** What a person did to the incident, as an action on the alert that stands for it. `acted`: that alert afterwards. */
export function withAction(before: Incident, acted: Alert, detail: string, now: Instant): IncidentStep {
  const handling = acted.handling ?? before.handling;
  const isEnded = acted.resolvedAt !== null && before.status !== "over";
  const incident: Incident = isEnded
    ? { ...before, handling, status: "over", calmSince: before.calmSince ?? now, endedAt: now }
    : {
        ...before,
        handling,
        status: before.status === "open" && isHandled({ handling }) ? "handled" : before.status,
      };
  return { incident, entries: [entryOf(incident, now, isEnded ? "Over" : "Handled", detail)] };
}

type MergeResult =
  | { readonly outcome: "Merged"; readonly into: IncidentStep; readonly from: IncidentStep }
  | { readonly outcome: "Refused"; readonly because: string };

/** One incident takes all alerts of another, which ends without a message. */
export function merge(
  into: Incident,
  { incident: from, parts }: WholeIncident,
  members: readonly Alert[],
  by: string,
  now: Instant,
): MergeResult {
  if (into.id === from.id) return refused("an incident cannot be merged with itself");
  if (into.projectId !== from.projectId || into.queryId !== from.queryId)
    return refused("they are of different queries");
  if (into.status === "over") return refused("the incident that should take the alerts is over");
  // No message would be about them any more.
  if (parts.length > 0) return refused("it speaks for other incidents: split those first");
  const isMoreSevere = compareSeverity(from.severity, into.severity) > 0;
  const merged: Incident = {
    ...into,
    severity: isMoreSevere ? from.severity : into.severity,
    openedAt: Math.min(into.openedAt, from.openedAt),
    countedFrom: Math.min(into.countedFrom, from.countedFrom),
    lastSeenAt: Math.max(into.lastSeenAt, from.lastSeenAt),
    alerts: members.length,
    waves: wavesOf(members),
    usual: into.openedAt <= from.openedAt ? into.usual : from.usual,
    ...(from.calmSince === null && { status: isHandled(into) ? "handled" : "open", calmSince: null }),
  };
  const ended: Incident = { ...from, status: "over", endedAt: from.endedAt ?? now, alerts: 0 };
  const detail = `${from.alerts === 1 ? "an alert" : `${from.alerts} alerts`} of another incident, by ${by}`;
  return {
    outcome: "Merged",
    into: { incident: merged, entries: [entryOf(merged, now, "Merged", detail)] },
    from: { incident: ended, entries: [entryOf(ended, now, "Merged", `into another incident, by ${by}`)] },
  };
}

type JoinCauseResult =
  | { readonly outcome: "Joined"; readonly into: IncidentStep; readonly part: IncidentStep }
  | { readonly outcome: "Refused"; readonly because: string };

/** An incident speaks for one of another query: it has the same cause. */
export function joinCause(
  into: Incident,
  { incident: part, parts }: WholeIncident,
  by: string,
  now: Instant,
): JoinCauseResult {
  if (into.projectId !== part.projectId) return refused("they are of different projects");
  if (into.status === "over" || part.status === "over") return refused("one of them is over");
  if (into.partOf !== undefined) return refused("the incident that should take it is part of another one");
  if (part.partOf !== undefined) return refused("it is part of another incident: split it first");
  if (parts.length > 0) return refused("it speaks for other incidents: split those first");
  return {
    outcome: "Joined",
    into: {
      // People are notified of it, whatever they were notified of before.
      incident: { ...into, renotifyReason: "NewFact" },
      entries: [
        {
          ...entryOf(into, now, "Merged", `${part.queryName}, too, by ${by}`),
          alertId: part.leaderId,
        },
      ],
    },
    part: {
      incident: { ...part, partOf: into.id },
      entries: [entryOf(part, now, "Merged", `into the incident of ${into.queryName}, by ${by}`)],
    },
  };
}

/** The part speaks for itself again. What people were notified of `whole` still counts: what comes next is news. */
export function leaveCause(
  { partOf: _, ...part }: Incident,
  whole: Incident,
  by: string,
  now: Instant,
): IncidentStep & { readonly whole: Incident } {
  const detail = `from the incident of ${whole.queryName}, by ${by}`;
  return {
    incident: part,
    whole: { ...whole, notifyCount: whole.notifyCount + 1 },
    entries: [entryOf(part, now, "Split", detail)],
  };
}

type SplitResult =
  | { readonly outcome: "Split"; readonly rest: IncidentStep }
  | { readonly outcome: "Refused"; readonly because: string };

/** One alert leaves its incident. The alert that began it stays: the messages are about it. */
export function split(
  before: Incident,
  alert: Alert,
  rest: readonly Alert[],
  by: string,
  now: Instant,
): SplitResult {
  if (alert.id === before.leaderId) return refused("it began the incident: split the other alerts from it");
  const incident: Incident = { ...before, alerts: rest.length, waves: wavesOf(rest) };
  const entry = { ...entryOf(incident, now, "Split", `${alert.rule}, by ${by}`), alertId: alert.id };
  return { outcome: "Split", rest: { incident, entries: [entry] } };
}

function refused(because: string) {
  return { outcome: "Refused", because } as const;
}

function entryOf({ id }: Incident, at: Instant, kind: IncidentEntryKind, detail: string): IncidentEntry {
  return { incidentId: id, at, kind, detail };
}
