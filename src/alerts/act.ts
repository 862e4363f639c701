import type { Instant } from "../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import type { AlertAction } from "../model/alert-action.ts";
import type { AlertEvent } from "../model/alert-event.ts";

/** What a person does about an alert, and what becomes of it. `by` is named in its history, with the moment. */
export function act(alert: Alert, action: AlertAction, by: string, now: Instant): Acted {
  if (alert.firedAt === null)
    return { outcome: "Refused", because: "it has not fired, so nobody was told of it" };
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

export type Acted =
  | { readonly outcome: "Done"; readonly alert: Alert; readonly event: AlertEvent }
  /** Nothing has changed, and why. */
  | { readonly outcome: "Refused"; readonly because: string };

function acknowledge(alert: Alert, by: string, now: Instant): Acted {
  if (alert.resolvedAt !== null) return { outcome: "Refused", because: "it is resolved" };
  if (alert.state === "acknowledged")
    return {
      outcome: "Refused",
      because: `${alert.handling?.acknowledgedBy ?? "somebody"} has acknowledged it`,
    };
  const handling = { ...alert.handling, acknowledgedBy: by, relevant: alert.handling?.relevant ?? true };
  return done({ ...alert, state: "acknowledged", handling }, now, "AcknowledgedBy", by);
}

/** Who gives it to somebody has seen it: reminders and escalation end as with an acknowledgement. */
function assign(alert: Alert, to: string, by: string, now: Instant): Acted {
  if (alert.resolvedAt !== null) return { outcome: "Refused", because: "it is resolved" };
  if (to.trim() === "") return { outcome: "Refused", because: "say who takes it on" };
  if (alert.handling?.assignee === to) return { outcome: "Refused", because: `${to} has it already` };
  const handling = {
    ...alert.handling,
    assignee: to,
    acknowledgedBy: alert.handling?.acknowledgedBy ?? by,
    relevant: alert.handling?.relevant ?? true,
  };
  return done({ ...alert, state: "acknowledged", handling }, now, "AssignedBy", `${by}, to ${to}`);
}

function resolve(alert: Alert, by: string, now: Instant): Acted {
  if (alert.resolvedAt !== null) return { outcome: "Refused", because: "it is resolved already" };
  const handling = { ...alert.handling, closedBy: by, relevant: alert.handling?.relevant ?? true };
  return done(ended(alert, now, handling), now, "ResolvedBy", by);
}

/** Also of an alert that is over: what it says about the rule stays true. */
function notRelevant(alert: Alert, by: string, now: Instant): Acted {
  if (alert.handling?.relevant === false)
    return { outcome: "Refused", because: "that has been said already" };
  const handling = { ...alert.handling, relevant: false };
  const told =
    alert.resolvedAt === null ? ended(alert, now, { ...handling, closedBy: by }) : { ...alert, handling };
  return done(told, now, "NotRelevantSaid", by);
}

function ended(alert: Alert, now: Instant, handling: NonNullable<Alert["handling"]>): Alert {
  return { ...alert, state: "resolved", resolvedAt: Math.max(now, alert.lastSeenAt), handling };
}

function done(alert: Alert, now: Instant, what: string, by: string): Acted {
  return { outcome: "Done", alert, event: { alertId: alert.id, at: now, what, detail: `by ${by}` } };
}
