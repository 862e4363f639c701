import { expect, test } from "vitest";
import { act } from "../../../src/monitor/alerts/act.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { AlertAction } from "../../../src/monitor/model/alert-action.ts";
import { alertOf } from "../notify/alert-of.ts";

const acted = (action: AlertAction, alert: Partial<Alert> = {}, now = 9) =>
  act(alertOf({ lastSeenAt: 5, ...alert }), action, "ann", now);

const ASSIGN: AlertAction = { do: "assign", to: "bo" };
const RESOLVED = { resolvedAt: 7 };

test.each<[string, AlertAction, Partial<Alert>, string]>([
  ["pending", { do: "acknowledge" }, { firedAt: null }, "it has not fired, so nobody was notified of it"],
  ["over", { do: "acknowledge" }, RESOLVED, "this alert is already resolved"],
  [
    "acknowledged",
    { do: "acknowledge" },
    { state: "acknowledged", handling: { acknowledgedBy: "cy" } },
    "cy has acknowledged it",
  ],
  [
    "acknowledged by nobody knows whom",
    { do: "acknowledge" },
    { state: "acknowledged" },
    "somebody has acknowledged it",
  ],
  ["over", ASSIGN, RESOLVED, "this alert is already resolved"],
  ["given to nobody", { do: "assign", to: "  " }, {}, "name an assignee"],
  ["theirs", ASSIGN, { handling: { assignee: "bo" } }, "bo has it already"],
  ["over", { do: "resolve" }, RESOLVED, "this alert is already resolved"],
  [
    "not relevant",
    { do: "not-relevant" },
    { handling: { relevant: false } },
    "it is marked not relevant already",
  ],
])("an alert that is %s refuses %j", (_, action, alert, because) => {
  expect(acted(action, alert)).toEqual({ outcome: "Refused", because });
});

test.each<[string, AlertAction, Partial<Alert>, Partial<Alert>, string, string]>([
  [
    "is acknowledged",
    { do: "acknowledge" },
    { handling: { callingSince: 1 } },
    { state: "acknowledged", handling: { callingSince: 1, acknowledgedBy: "ann", relevant: true } },
    "AcknowledgedBy",
    "by ann",
  ],
  [
    "stays not relevant when it is acknowledged",
    { do: "acknowledge" },
    { handling: { relevant: false } },
    { state: "acknowledged", handling: { acknowledgedBy: "ann", relevant: false } },
    "AcknowledgedBy",
    "by ann",
  ],
  [
    "is acknowledged by whoever assigns it",
    ASSIGN,
    {},
    { state: "acknowledged", handling: { assignee: "bo", acknowledgedBy: "ann", relevant: true } },
    "AssignedBy",
    "by ann, to bo",
  ],
  [
    "stays acknowledged by whoever did it first",
    ASSIGN,
    { state: "acknowledged", handling: { acknowledgedBy: "cy", assignee: "cy", relevant: false } },
    { state: "acknowledged", handling: { assignee: "bo", acknowledgedBy: "cy", relevant: false } },
    "AssignedBy",
    "by ann, to bo",
  ],
  [
    "is resolved",
    { do: "resolve" },
    { handling: { assignee: "bo" } },
    { state: "resolved", resolvedAt: 9, handling: { assignee: "bo", closedBy: "ann", relevant: true } },
    "ResolvedBy",
    "by ann",
  ],
  [
    "stays not relevant when it is resolved",
    { do: "resolve" },
    { handling: { relevant: false } },
    { state: "resolved", resolvedAt: 9, handling: { closedBy: "ann", relevant: false } },
    "ResolvedBy",
    "by ann",
  ],
  [
    "is resolved when it is not relevant",
    { do: "not-relevant" },
    { handling: { assignee: "bo" } },
    { state: "resolved", resolvedAt: 9, handling: { assignee: "bo", relevant: false, closedBy: "ann" } },
    "NotRelevantSaid",
    "by ann",
  ],
  [
    "keeps its end when it is not relevant after it",
    { do: "not-relevant" },
    { resolvedAt: 7, handling: { closedBy: "cy" } },
    { state: "resolved", resolvedAt: 7, handling: { closedBy: "cy", relevant: false } },
    "NotRelevantSaid",
    "by ann",
  ],
])("an alert %s", (_, action, before, after, what, detail) => {
  const alert = alertOf({ lastSeenAt: 5, ...before });
  expect(act(alert, action, "ann", 9)).toEqual({
    outcome: "Done",
    alert: { ...alert, ...after },
    event: { alertId: alert.id, at: 9, what, detail },
  });
});

test("an alert does not end before its last mention, whatever the clock of the worker says", () => {
  const result = acted({ do: "resolve" }, {}, 3);
  expect(result.outcome === "Done" && result.alert.resolvedAt).toBe(5);
});
