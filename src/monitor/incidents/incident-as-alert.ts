import type { Alert } from "../model/alert.ts";
import type { Incident } from "../model/incident.ts";
import { compareSeverity } from "../model/severity.ts";

/**
 * An incident in the shape of an alert, for everything that decides about messages: it is one thing with a severity, a
 * state and an end. Its id and fingerprint are the leader's, so that its messages, its thread and its silences stay the
 * same while its alerts come and go; its sentence, window and labels are those of its most severe alert.
 */
export function incidentAsAlert(incident: Incident, members: readonly Alert[]): Alert | null {
  const leader = members.find(({ id }) => id === incident.leaderId);
  const face = faceOf(incident, members);
  if (leader === undefined || face === undefined) return null;
  return {
    ...face,
    id: leader.id,
    fingerprint: leader.fingerprint,
    severity: incident.severity,
    state: stateOf(incident),
    openedAt: incident.openedAt,
    firedAt: leader.firedAt ?? incident.openedAt,
    lastSeenAt: incident.lastSeenAt,
    resolvedAt: incident.endedAt,
    notifyCount: incident.notifyCount,
    renotifyReason: incident.renotifyReason,
    handling: incident.handling,
    ...(face.progress !== undefined && { progress: progressOf(face) }),
  };
}

/** Of an alert that is over nothing is counted any more: its last count is not what is now. */
function progressOf({ progress, resolvedAt }: Alert): NonNullable<Alert["progress"]> {
  if (resolvedAt === null) return progress ?? {};
  const { now: _, renotified: __, ...kept } = progress ?? {};
  return kept;
}

/** Nobody is reminded of an incident that is watched, as of one that somebody has acknowledged. */
function stateOf({ status }: Incident): Alert["state"] {
  if (status === "over") return "resolved";
  return status === "open" ? "firing" : "acknowledged";
}

/** The alert that an incident is described by: the most severe, the leader before others. */
export function faceOf({ leaderId }: Incident, members: readonly Alert[]): Alert | undefined {
  const fired = members.filter(({ firedAt }) => firedAt !== null);
  const isLeader = ({ id }: Alert) => Number(id === leaderId);
  return fired.toSorted(
    (a, b) => compareSeverity(b.severity, a.severity) || isLeader(b) - isLeader(a) || a.openedAt - b.openedAt,
  )[0];
}
