import type { Instant } from "../../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import type { AlertAction } from "../model/alert-action.ts";
import type { ActionResult } from "../model/alert-actions.ts";

/** Applies a person's action to an alert. Its history names `by`, with the time. */
export function act(alert: Alert, action: AlertAction, by: string, now: Instant): ActionResult {
  if (alert.firedAt === null)
    return { outcome: "Refused", because: "it has not fired, so nobody was notified of it" };
  switch (action.do) {
    case "acknowledge":
      return acknowledge(alert, by, now);
    case "assign":
      return assign(alert, action.to, by, now);
    case "resolve":
      return resolve(alert, by, now);
    case "not-relevant":
      return notRelevant(alert, by, now);
  }
}

function acknowledge(alert: Alert, by: string, now: Instant): ActionResult {
  if (alert.resolvedAt !== null) return { outcome: "Refused", because: "this alert is already resolved" };
  if (alert.state === "acknowledged")
    return {
      outcome: "Refused",
      because: `${alert.handling?.acknowledgedBy ?? "somebody"} has acknowledged it`,
    };
  const handling = { ...alert.handling, acknowledgedBy: by, relevant: alert.handling?.relevant ?? true };
  return done({ ...alert, state: "acknowledged", handling }, now, "AcknowledgedBy", by);
}

/** Assigning implies having seen the alert: it ends reminders and escalation like an acknowledgement. */
function assign(alert: Alert, to: string, by: string, now: Instant): ActionResult {
  if (alert.resolvedAt !== null) return { outcome: "Refused", because: "this alert is already resolved" };
  if (to.trim() === "") return { outcome: "Refused", because: "name an assignee" };
  if (alert.handling?.assignee === to) return { outcome: "Refused", because: `${to} has it already` };
  const handling = {
    ...alert.handling,
    assignee: to,
    acknowledgedBy: alert.handling?.acknowledgedBy ?? by,
    relevant: alert.handling?.relevant ?? true,
  };
  return done({ ...alert, state: "acknowledged", handling }, now, "AssignedBy", `${by}, to ${to}`);
}

function resolve(alert: Alert, by: string, now: Instant): ActionResult {
  if (alert.resolvedAt !== null) return { outcome: "Refused", because: "this alert is already resolved" };
  const handling = { ...alert.handling, closedBy: by, relevant: alert.handling?.relevant ?? true };
  return done(ended(alert, now, handling), now, "ResolvedBy", by);
}

/** Allowed for a resolved alert, too: it still says something about the rule. */
function notRelevant(alert: Alert, by: string, now: Instant): ActionResult {
  if (alert.handling?.relevant === false)
    return { outcome: "Refused", because: "it is marked not relevant already" };
  const handling = { ...alert.handling, relevant: false };
  const judged =
    alert.resolvedAt === null ? ended(alert, now, { ...handling, closedBy: by }) : { ...alert, handling };
  return done(judged, now, "NotRelevantSaid", by);
}

function ended(alert: Alert, now: Instant, handling: NonNullable<Alert["handling"]>): Alert {
  return { ...alert, state: "resolved", resolvedAt: Math.max(now, alert.lastSeenAt), handling };
}

function done(alert: Alert, now: Instant, what: string, by: string): ActionResult {
  return { outcome: "Done", alert, event: { alertId: alert.id, at: now, what, detail: `by ${by}` } };
}
