import type { Alert } from "../../../src/monitor/model/alert.ts";

/** A firing alert, with the fields that a test needs. */
export function alertOf(given: Partial<Alert> = {}): Alert {
  return {
    id: "a1",
    projectId: "p1",
    rule: "crisis-spike",
    fingerprint: "f1",
    queryId: "101",
    queryName: "United",
    severity: "warning",
    state: given.resolvedAt ? "resolved" : "firing",
    labels: { query: "United" },
    openedAt: 0,
    firedAt: 0,
    lastSeenAt: 0,
    resolvedAt: null,
    notifyCount: 1,
    renotifyReason: null,
    mentions: 62,
    because: "62 mentions in 30m",
    windowFrom: 0,
    windowTo: 0,
    values: {},
    ...given,
  };
}
