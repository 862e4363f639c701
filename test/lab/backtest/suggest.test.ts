import { expect, test } from "vitest";
import {
  suggestionOf,
  thresholdsOf,
  valuesToTry,
  weaknessOf,
  withThreshold,
} from "../../../src/lab/backtest/suggest.ts";
import { HOUR } from "../../../src/lib/instant.ts";
import type { Alert, AlertHandling } from "../../../src/monitor/model/alert.ts";
import { compileRule } from "../../../src/monitor/rules/compile-rule.ts";

const SPIKE = {
  description: "Waves.",
  severity: { warning: "always", critical: { atLeast: 40, within: "30m" } },
  when: { sentiment: "negative" },
  spike: { atLeast: 15 },
};
const LARGE = {
  description: "Large accounts.",
  severity: "warning",
  when: {
    sentiment: "negative",
    any: [{ followers: { atLeast: 50_000 } }, { all: [{ verified: true }, { reach: { atLeast: 5_000 } }] }],
  },
};
const MOOD = {
  description: "Mood.",
  severity: "warning",
  share: { of: { sentiment: "negative" }, atLeast: "40%", among: 40, within: "2h" },
};

test("thresholds are found where rules have them", () => {
  expect(thresholdsOf(SPIKE).map(({ name, current }) => [name, current])).toEqual([["spike.atLeast", 15]]);
  expect(thresholdsOf(LARGE).map(({ name, current }) => [name, current])).toEqual([
    ["when.any[0].followers.atLeast", 50_000],
    ["when.any[1].all[1].reach.atLeast", 5_000],
  ]);
  expect(thresholdsOf(MOOD).map(({ name, current, isShare }) => [name, current, isShare])).toEqual([
    ["share.atLeast", 40, true],
  ]);
  expect(thresholdsOf({ when: { keyword: ["recall"] } })).toEqual([]);
  expect(thresholdsOf("no rule")).toEqual([]);
});

test.each([
  [0.55, 55],
  [0.07, 7],
  [0.575, 57.5],
  ["57.5%", 57.5],
])("a share that is written as %s is %s per cent, and tried once", (atLeast, percent) => {
  const [threshold = never()] = thresholdsOf({ ...MOOD, share: { ...MOOD.share, atLeast } });
  expect(threshold.current).toBe(percent);
  expect(valuesToTry(threshold).filter((value) => Math.abs(value - percent) < 1)).toEqual([percent]);
});

test("every value that is tried makes a valid rule, also beyond the steps of its severity", () => {
  for (const content of [SPIKE, LARGE, MOOD])
    for (const threshold of thresholdsOf(content))
      for (const value of valuesToTry(threshold)) {
        const faults: string[] = [];
        compileRule("tried", withThreshold(content, threshold, value), ({ message }) => faults.push(message));
        expect([value, faults]).toEqual([value, []]);
      }
  expect(valuesToTry(thresholdsOf(SPIKE)[0] ?? never())).toContain(15);
});

test("the lowest value with one alert a week, and the highest that agrees with people", () => {
  const threshold = thresholdsOf(SPIKE)[0] ?? never();
  const [a, b, c, d] = [0, 100, 200, 300].map((hours) => alertAt(hours * HOUR));
  const judged = [alertAt(100 * HOUR, { acknowledgedBy: "ann" }), alertAt(200 * HOUR, { relevant: false })];
  const variants = [
    { value: 10, alerts: [a, b, c, d] },
    { value: 15, alerts: [a, b, c] },
    { value: 20, alerts: [a, b] },
    { value: 30, alerts: [b] },
    { value: 50, alerts: [] },
  ].map(({ value, alerts }) => ({ value, alerts: alerts.filter((one) => one !== undefined) }));
  const suggestion = suggestionOf(threshold, variants, judged, 2);
  expect(suggestion.oneAWeek).toBe(20);
  expect(suggestion.asPeopleSay).toBe(30);
  expect(suggestion.points.map(({ caught, notRelevant }) => [caught, notRelevant])).toEqual([
    [1, 1],
    [1, 1],
    [1, 0],
    [1, 0],
    [0, 0],
  ]);
  expect(weaknessOf(suggestion, { weeks: 2, mentions: 10 }).join(" ")).toMatch(/2\.0 weeks.*judged 2 alerts/);
  expect(weaknessOf(suggestion, { weeks: 8, mentions: 10 }).join(" ")).not.toMatch(/weeks of/);
});

test("nothing is suggested where nothing fits", () => {
  const threshold = thresholdsOf(SPIKE)[0] ?? never();
  const alerts = Array.from({ length: 9 }, (_, index) => alertAt(index * 10 * HOUR));
  const judged = [alertAt(0, { acknowledgedBy: "ann" }), alertAt(0, { relevant: false })];
  const suggestion = suggestionOf(threshold, [{ value: 15, alerts }], judged, 1);
  expect([suggestion.oneAWeek, suggestion.asPeopleSay]).toEqual([null, null]);
});

function alertAt(openedAt: number, handling?: AlertHandling): Alert {
  return {
    id: `${openedAt} ${JSON.stringify(handling)}`,
    projectId: "1",
    rule: "spike",
    fingerprint: "f",
    queryId: "1",
    queryName: "Acme",
    severity: "warning",
    state: "resolved",
    labels: { query: "Acme" },
    openedAt,
    firedAt: openedAt,
    lastSeenAt: openedAt,
    resolvedAt: openedAt + HOUR,
    notifyCount: 1,
    renotifyReason: null,
    mentions: 1,
    because: "",
    windowFrom: openedAt,
    windowTo: openedAt,
    values: {},
    ...(handling !== undefined && { handling }),
  };
}

function never(): never {
  throw new Error("there is no threshold");
}
