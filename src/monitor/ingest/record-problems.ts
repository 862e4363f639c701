import type { Clock } from "../../lib/clock.ts";
import { type Instant, MINUTE } from "../../lib/instant.ts";
import type { Observation } from "../alerts/alert-life.ts";
import { fingerprint } from "../alerts/fingerprint.ts";
import type { Alert } from "../model/alert.ts";
import type { PendingNotification } from "../model/notification.ts";
import { type HealthProblem, OPERATOR_RULES } from "../model/operator-rules.ts";
import { OWN_QUERY } from "../model/query.ts";
import { compareSeverity } from "../model/severity.ts";
import type { NotifyConfig } from "../notify/decide/decide-notifications.ts";
import type { Stores } from "../store/stores.ts";
import type { AlertObservation } from "./apply-observations.ts";
import { alertsToReconsider, recordNotifications } from "./record-notifications.ts";
import { recordObservations } from "./record-observations.ts";

/**
 * Feeds the current problems into the life cycle of alerts, like evidence of any rule, and stores the notifications,
 * all in one transaction. Returns the notifications to send now.
 */
export async function recordProblems(
  parts: { readonly stores: Stores; readonly notifyConfig: NotifyConfig; readonly clock: Clock },
  problems: readonly HealthProblem[],
): Promise<readonly PendingNotification[]> {
  return parts.stores.transaction(async (facts) => {
    // Another process that checks at the same moment waits here, and then finds the alert open.
    await facts.queries.lock(OWN_QUERY.projectId, OWN_QUERY.queryId);
    const now = parts.clock.now();
    const open = await facts.alerts.openOfQuery(OWN_QUERY.projectId, OWN_QUERY.queryId);
    const { changed: moved } = await recordObservations(
      facts.alerts,
      OWN_QUERY,
      observations(problems, open, now),
    );
    return recordNotifications(facts, parts, OWN_QUERY, moved, alertsToReconsider(facts, OWN_QUERY, moved));
  });
}

/** An open alert is stored again only after this time, not with every check. */
const REFRESH_MS = MINUTE;

function observations(
  problems: readonly HealthProblem[],
  open: readonly Alert[],
  now: Instant,
): AlertObservation[] {
  const byFingerprint = new Map(open.map((alert) => [alert.fingerprint, alert]));
  const seen = new Set<string>();
  const found = problems.flatMap((problem): AlertObservation[] => {
    const id = fingerprint(problem.rule, { ...problem.labels, queryId: OWN_QUERY.queryId });
    seen.add(id);
    const alert = byFingerprint.get(id);
    return isNews(problem, alert, now) ? [observation(problem, id, alert, now)] : [];
  });
  const over = open.filter((alert) => !seen.has(alert.fingerprint));
  return [...found, ...over.map((alert) => ending(alert, now))];
}

function isNews({ rule, severity }: HealthProblem, alert: Alert | undefined, now: Instant): boolean {
  if (alert === undefined || now - alert.lastSeenAt >= REFRESH_MS) return true;
  return compareSeverity(severity ?? OPERATOR_RULES[rule].severity, alert.severity) > 0;
}

function observation(
  problem: HealthProblem,
  id: string,
  alert: Alert | undefined,
  now: Instant,
): AlertObservation {
  const { severity, overAfterMs } = OPERATOR_RULES[problem.rule];
  // A problem from before a restart that is still there afterwards is the same problem.
  const wentOn = alert !== undefined && problem.since <= alert.lastSeenAt;
  const evidence: Observation = {
    kind: "evidence",
    at: now,
    since: Math.min(problem.since, now),
    mentions: 0,
    because: problem.because,
    // Reminders and live messages say how it is now.
    restates: true,
    windowFrom: Math.min(problem.since, now - 1),
    windowTo: now,
    values: problem.values,
    ...(problem.severity === undefined ? {} : { severity: problem.severity }),
  };
  return {
    ruleName: problem.rule,
    life: { severity, forMs: 0, overAfterMs: wentOn ? Number.POSITIVE_INFINITY : overAfterMs },
    fingerprint: id,
    labels: problem.labels,
    observe: () => evidence,
  };
}

function ending(alert: Alert, now: Instant): AlertObservation {
  const rule = Object.entries(OPERATOR_RULES).find(([name]) => name === alert.rule)?.[1];
  const observation: Observation =
    rule === undefined ? { kind: "withdrawn", at: now } : { kind: "not-met", at: now };
  return {
    ruleName: alert.rule,
    life: { severity: alert.severity, forMs: 0, overAfterMs: rule?.overAfterMs ?? 0 },
    fingerprint: alert.fingerprint,
    labels: alert.labels,
    observe: () => observation,
  };
}
