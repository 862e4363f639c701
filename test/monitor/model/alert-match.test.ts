import { describe, expect, test } from "vitest";
import { parseConfig } from "../../../src/admin/config/config.ts";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { createNotifyConfig } from "../../../src/monitor/health/notify-config.ts";
import {
  type AlertMatch,
  describeMatch,
  type MatchedAlert,
  matchesAlert,
  unmetOf,
} from "../../../src/monitor/model/alert-match.ts";
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

describe("a match", () => {
  const alert: MatchedAlert = {
    severity: "warning",
    ...{ queryId: "7", queryName: "Acme EU", rule: "crisis-spike", fingerprint: "print" },
    labels: { team: "press", rule: "of a label" },
  };
  const whole: AlertMatch = {
    ...{ severity: "warning", query: ["Acme*"], rule: ["crisis-*"], labels: { team: ["press"] } },
    fingerprint: "print",
  };
  test.each<[string, AlertMatch, string]>([
    ["severity", { severity: "critical" }, "severity critical or higher, and it is warning"],
    ["query", { query: ["Brell", "7?"] }, "query Brell or 7?, and it is Acme EU"],
    ["rule", { rule: ["crisis", "legal-*"] }, "rule crisis or legal-*, and it is crisis-spike"],
    ["label", { labels: { team: ["sales", "web"] } }, "team sales or web, and it is press"],
    ["label that it has not", { labels: { office: ["*"] } }, "office *, and it is without it"],
    ["label that every object has", { labels: { toString: ["*"] } }, "toString *, and it is without it"],
    ["label with the name of a condition", { labels: { rule: ["a"] } }, "rule a, and it is of a label"],
    ["fingerprint", { fingerprint: "other" }, "alert other, and it is another alert"],
  ])("needs every condition: another %s is one too many", (_, other, because) => {
    expect(matchesAlert(whole, alert)).toBe(true);
    expect(unmetOf(whole, alert)).toBeNull();
    expect(matchesAlert({ ...whole, ...other }, alert)).toBe(false);
    expect(unmetOf({ ...whole, ...other }, alert)).toBe(because);
    // Under `not` one of them is enough, and one that does not fit excludes nothing.
    expect(matchesAlert({ not: other }, alert)).toBe(true);
    expect(unmetOf({ not: other }, alert)).toBeNull();
    const [name = ""] = Object.keys(other);
    const own = { ...other, [name]: whole[name as keyof AlertMatch] } as AlertMatch;
    expect(
      matchesAlert({ not: { ...(name === "severity" ? {} : { severity: "critical" }), ...own } }, alert),
    ).toBe(false);
  });

  test("says what excludes an alert", () => {
    expect(unmetOf({ not: { severity: "critical", rule: ["*-spike"] } }, alert)).toBe("not rule *-spike");
    expect(unmetOf({ severity: "info" }, OWN)).toBe(
      "alerts about brands, and this one is about Earshot itself",
    );
    expect(unmetOf({ query: ["EARSHOT"] }, OWN)).toBeNull();
    expect(matchesAlert({ query: ["EARSHOT"] }, OWN)).toBe(true);
    // The label `query` is of brands, and one pattern with a name is enough.
    expect(matchesAlert({ labels: { query: ["Earshot"] } }, { ...OWN, labels: { query: "Earshot" } })).toBe(
      false,
    );
    expect(matchesAlert({ labels: { receiver: ["*", "comms"] } }, OWN)).toBe(true);
  });

  test("is shown in words", () => {
    expect(describeMatch({})).toBe("every alert");
    expect(describeMatch(whole, new Map([["print", "Acme EU, crisis-spike"]]))).toBe(
      "severity warning or higher, query Acme*, rule crisis-*, team press, alert Acme EU, crisis-spike",
    );
    expect(describeMatch({ rule: ["a", "b"], not: { query: ["c"], labels: { team: ["d", "e"] } } })).toBe(
      "rule a or b, not query c and not team d or e",
    );
  });
});
