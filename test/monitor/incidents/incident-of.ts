import { HOUR, type Instant } from "../../../src/lib/instant.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { Incident } from "../../../src/monitor/model/incident.ts";

/** Tuesday 12:00 UTC. */
export const NOON: Instant = Date.parse("2026-03-03T12:00:00Z");

/** An incident that began at noon, on a query with two negative mentions in a usual hour. */
export function incidentOf(changes: Partial<Incident> = {}): Incident {
  return {
    id: "01000000-0000-7000-8000-000000000001",
    projectId: "1",
    queryId: "7",
    queryName: "Acme",
    group: "",
    leaderId: "leader",
    status: "open",
    severity: "critical",
    openedAt: NOON,
    countedFrom: NOON - HOUR / 2,
    lastSeenAt: NOON,
    alerts: 2,
    uncalmUntil: NOON,
    calmSince: null,
    endedAt: null,
    checkedUntil: NOON,
    notifyCount: 1,
    renotifyReason: null,
    waves: 0,
    notified: { at: NOON, count: 10 },
    measure: "negative",
    usual: Array.from({ length: 24 }, () => ({ negative: 2, total: 6 })),
    peak: { negative: 40, total: 50 },
    day: 1,
    factAt: NOON,
    handling: { callingSince: NOON },
    ...changes,
  };
}

export function alertOf(changes: Partial<Alert> = {}): Alert {
  return {
    id: "leader",
    projectId: "1",
    rule: "crisis-spike",
    fingerprint: "leader",
    queryId: "7",
    queryName: "Acme",
    severity: "critical",
    state: "firing",
    labels: { query: "Acme" },
    openedAt: NOON,
    firedAt: NOON,
    lastSeenAt: NOON,
    resolvedAt: null,
    notifyCount: 1,
    renotifyReason: null,
    mentions: 40,
    because: "40 negative mentions in 30 min",
    windowFrom: NOON - HOUR / 2,
    windowTo: NOON,
    values: {},
    ...changes,
  };
}
