import { expect, test } from "vitest";
import { checkOutage } from "../../src/health/check-outage.ts";
import { findProblems } from "../../src/health/find-problems.ts";
import type { Outage } from "../../src/model/outage.ts";
import { aLine, NOW, SETTINGS } from "./pipeline.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

function away(seconds: number, changes: Partial<Outage> = {}): Outage {
  const to = changes.to ?? NOW - MINUTE;
  return { engine: "database", outcome: "away", from: to - seconds * SECOND, because: null, ...changes, to };
}

test.each([
  ["a restart of a few seconds", away(19), "OnThePage"],
  ["twenty seconds", away(20), "WorthTelling"],
  ["what ended ten minutes ago", away(60, { to: NOW - 10 * MINUTE }), "WorthTelling"],
  ["what ended before that", away(60, { to: NOW - 10 * MINUTE - 1 }), "OnThePage"],
  ["a queue that was away for a minute", away(60, { engine: "queue" }), "WorthTelling"],
  ["a queue that was away for longer", away(61, { engine: "queue" }), "ToldMeanwhile"],
  ["a queue that came back empty at once", away(0, { engine: "queue", outcome: "emptied" }), "WorthTelling"],
])("%s", (_name, outage, outcome) => {
  expect(checkOutage(outage, SETTINGS.standstill, NOW).outcome).toBe(outcome);
});

test("operators read what was away, for how long, by which error, and that nothing is lost", () => {
  const verdict = checkOutage(away(63, { because: "connect ECONNREFUSED" }), SETTINGS.standstill, NOW);
  expect(verdict).toEqual({
    outcome: "WorthTelling",
    because:
      "PostgreSQL could not be reached for 1m 3s (connect ECONNREFUSED). Work went on by itself afterwards: nothing is lost, and what was said meanwhile is read now",
  });
});

test("what comes back soon is one trouble, with its newest turn; engines are told apart", () => {
  const line = aLine({
    outages: [
      away(90, { to: NOW - MINUTE }),
      away(30, { to: NOW - 5 * MINUTE }),
      away(40, { engine: "queue" }),
    ],
  });
  expect(findProblems(line, SETTINGS).map(({ rule, labels, values }) => [rule, labels, values])).toEqual([
    ["engine-was-away", { engine: "database", outcome: "away" }, { forMs: 90 * SECOND }],
    ["engine-was-away", { engine: "queue", outcome: "away" }, { forMs: 40 * SECOND }],
  ]);
});

test("what stands aside is one trouble for each kind, with the reason of the newest", () => {
  const line = aLine({
    aside: [
      { kind: "job", n: 1, since: NOW - MINUTE, reason: "rule negative: cannot read" },
      { kind: "page", n: 3, since: NOW - MINUTE, reason: "half a page" },
    ],
  });
  const troubles = findProblems(line, SETTINGS);
  expect(troubles.map(({ rule, labels }) => [rule, labels])).toEqual([
    ["dead-letters", { kind: "job" }],
    ["dead-letters", { kind: "page" }],
  ]);
  expect(troubles[1]?.because).toContain(
    "3 pages always failed and were set aside; the newest: half a page.",
  );
});
