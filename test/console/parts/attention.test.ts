import { expect, test } from "vitest";
import { attentionOfAlert, attentionOfIncident } from "../../../src/console/parts/attention.ts";
import { HOUR } from "../../../src/lib/instant.ts";

const NOW = Date.UTC(2026, 2, 2, 12);
const ALERT = { state: "firing", severity: "warning", lastSeenAt: NOW } as const;

test.each([
  ["a warning that goes on", ALERT, "NeedsSomebody"],
  ["somebody acknowledged it", { ...ALERT, state: "acknowledged" }, "Handled"],
  ["somebody has it", { ...ALERT, handling: { assignee: "Ann" } }, "Handled"],
  ["it is for reading", { ...ALERT, severity: "info" }, "Calm"],
  ["three hours after a crisis it is a leftover", { ...ALERT, lastSeenAt: NOW - 3 * HOUR }, "Calm"],
] as const)("of an alert: %s", (_, alert, expected) => {
  expect(attentionOfAlert(alert, NOW)).toBe(expected);
});

test.each([
  ["open", "critical", "NeedsSomebody"],
  ["handled", "critical", "Handled"],
  ["watching", "critical", "Calm"],
  ["open", "info", "Calm"],
] as const)("an incident that is %s and %s: %s", (status, severity, expected) => {
  expect(attentionOfIncident({ status, severity })).toBe(expected);
});
