import { expect, test } from "vitest";
import { RouteConfig } from "../../../../src/monitor/notify/decide/route.ts";
import { describeNotified } from "../../../../src/monitor/notify/decide/who-is-notified.ts";

const ROUTES = RouteConfig.array().parse([
  { match: { severity: "critical" }, receivers: ["on-call"], continue: true },
  { match: { query: "Acme*" }, receivers: ["comms"] },
  { match: { rule: "chatter" }, receivers: [] },
]);
const RULE = { name: "crisis", severities: ["warning", "critical"], extraLabels: {} } as const;
const acme = { queryId: "1", name: "Acme" };
const rival = { queryId: "2", name: "Rival" };

test.each([
  [[acme], "Warning: comms. Critical: on-call, comms."],
  [[acme, rival], "Warning: comms (not for every query). Critical: on-call, comms (not for every query)."],
  [[rival], "Warning: nobody, the console shows them. Critical: on-call."],
])("who is notified of a rule is what the routes say of its queries: %j", (queries, sentence) => {
  expect(describeNotified(RULE, queries, ROUTES)).toBe(sentence);
});

test("labels that the rule gives lead alerts, too", () => {
  const routes = RouteConfig.array().parse([{ match: { labels: { team: "legal" } }, receivers: ["legal"] }]);
  const rule = { ...RULE, extraLabels: { team: "legal" } };
  expect(describeNotified(rule, [acme], routes)).toBe("Warning: legal. Critical: legal.");
});
