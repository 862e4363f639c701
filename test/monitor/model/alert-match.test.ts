import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../src/admin/config/config.ts";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { createNotifyConfig } from "../../../src/monitor/health/notify-config.ts";
import { type AlertMatch, matchesAlert } from "../../../src/monitor/model/alert-match.ts";
import { OWN_QUERY } from "../../../src/monitor/model/query.ts";
import type { Silence } from "../../../src/monitor/model/silence.ts";
import { decideNotifications } from "../../../src/monitor/notify/decide/decide-notifications.ts";
import { escalationOf } from "../../../src/monitor/notify/decide/escalation.ts";
import { anAlert } from "../../console/make-a-story.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const OWN = anAlert({
  openedAt: NOW - HOUR,
  projectId: OWN_QUERY.projectId,
  queryId: OWN_QUERY.queryId,
  queryName: OWN_QUERY.name,
  rule: "source-refuses",
  fingerprint: "own",
  labels: { receiver: "comms" },
  handling: { callingSince: NOW - HOUR },
});
const OF_A_BRAND = anAlert({ openedAt: NOW - HOUR, handling: { callingSince: NOW - HOUR } });

describe("alerts of Earshot about itself are matched", () => {
  test.each<[string, AlertMatch]>([
    ["everything", {}],
    ["every query", { query: ["*"] }],
    ["a severity", { severity: "critical" }],
    ["every rule", { rule: ["*"] }],
    ["what ends like a rule of theirs", { rule: ["*-refuses"] }],
    ["any value of a label", { labels: { receiver: ["*"] } }],
    ["every query but one", { query: ["*"], not: { query: ["Acme"] } }],
  ])("not by %s", (_, match) => {
    expect(matchesAlert(match, OWN)).toBe(false);
  });
  test.each<[string, AlertMatch]>([
    ["their query", { query: ["earshot"] }],
    ["the id of their query", { query: [OWN_QUERY.queryId] }],
    ["their rule", { rule: ["source-*"] }],
    ["their label", { labels: { receiver: ["comms"] } }],
    ["their fingerprint", { fingerprint: "own" }],
  ])("by %s", (_, match) => {
    expect(matchesAlert(match, OWN)).toBe(true);
    expect(matchesAlert({ ...match, severity: "critical" }, OWN)).toBe(true);
    expect(matchesAlert({ ...match, not: { severity: "critical" } }, OWN)).toBe(false);
  });
});

test("a silence of everything and an escalation of everything leave operators alone, and reach brands", async () => {
  const config = await parseConfig({
    source: { baseUrl: "https://l.example", username: "a", password: "b", clientId: "c" },
    receivers: ["operator", "comms", "on-call"].map((name) => ({
      name,
      kind: "webhook",
      url: `https://${name}.example`,
      throttle: "none",
    })),
    routes: [{ receivers: ["comms"] }],
    escalations: [{ name: "all", steps: [{ after: "5m", receivers: ["on-call"] }] }],
    operator: { receivers: ["operator"] },
  });
  const directory = createNotifyConfig(config);
  const toldTo = (alert: typeof OWN, silences: readonly Silence[]) =>
    decideNotifications([alert], [], directory, NOW, {
      recent: new Map(),
      context: { silences, inhibitions: [], open: [] },
      flushes: [],
    })
      .pending.map(({ receiver }) => receiver)
      .toSorted();
  const everything: Silence = {
    id: "s",
    match: { query: ["*"] },
    author: "ann",
    comment: "",
    createdAt: NOW - HOUR,
    startsAt: NOW - HOUR,
    endsAt: NOW + HOUR,
    windows: [],
    endedBy: null,
  };
  expect(toldTo(OWN, [])).toEqual(["operator"]);
  expect(toldTo(OWN, [everything])).toEqual(["operator"]);
  expect(
    toldTo({ ...OWN, openedAt: NOW - MINUTE }, [{ ...everything, match: { rule: ["source-*"] } }]),
  ).toEqual([]);
  expect(toldTo(OF_A_BRAND, [])).toEqual(["comms"]);
  expect(toldTo(OF_A_BRAND, [everything])).toEqual([]);
  const steps = (alert: typeof OWN) => [...escalationOf(directory, alert, NOW - HOUR, NOW).keys()];
  expect(steps(OF_A_BRAND)).toEqual(["on-call"]);
  expect(steps(OWN)).toEqual([]);
});
