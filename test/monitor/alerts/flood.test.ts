import fc from "fast-check";
import { expect, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import { admit, type FloodStep } from "../../../src/monitor/alerts/flood.ts";
import { isOver, type RuleFlood } from "../../../src/monitor/model/rule-flood.ts";
import { runs } from "../../runs.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const CALM: RuleFlood = {
  ...{ rule: "r", windowFrom: NOON, inWindow: 0, heldAt: null, held: 0, lastAt: NOON },
};

/** What is decided of evidence that comes at these minutes after noon; at most 3 in ten minutes. */
function admitAll(minutes: readonly number[]): FloodStep[] {
  let flood = CALM;
  return minutes.map((minute) => {
    const step = admit(flood, NOON + minute * MINUTE, 3);
    flood = step.flood;
    return step;
  });
}
const outcomes = (minutes: readonly number[]) => admitAll(minutes).map(({ outcome }) => outcome);

test.each<[string, number[], FloodStep["outcome"][]]>([
  [
    "few in ten minutes open alerts",
    [0, 1, 2, 10, 11, 12],
    ["Opens", "Opens", "Opens", "Opens", "Opens", "Opens"],
  ],
  ["the fourth in ten minutes holds the rule", [0, 1, 2, 3, 4], ["Opens", "Opens", "Opens", "Holds", "Held"]],
  [
    "it stays held while ten minutes bring as many",
    [0, 1, 2, 3, 10, 11, 12, 20],
    ["Opens", "Opens", "Opens", "Holds", "Held", "Held", "Held", "Held"],
  ],
  [
    "it goes on after ten minutes with fewer",
    [0, 1, 2, 3, 10, 11, 20, 21],
    ["Opens", "Opens", "Opens", "Holds", "Held", "Held", "Resumes", "Opens"],
  ],
  [
    "the ten minutes in which it was held are not calm",
    [0, 1, 2, 3, 10],
    ["Opens", "Opens", "Opens", "Holds", "Held"],
  ],
  [
    "it goes on after ten minutes with nothing",
    [0, 1, 2, 3, 25],
    ["Opens", "Opens", "Opens", "Holds", "Resumes"],
  ],
  ["late evidence counts into the present ten minutes", [11, 12, 2, 3], ["Opens", "Opens", "Opens", "Holds"]],
])("%s", (_, minutes, expected) => {
  expect(outcomes(minutes)).toEqual(expected);
});

test("what was held is counted until it goes on", () => {
  const steps = admitAll([0, 1, 2, 3, 4, 5, 25]);
  expect(steps.map(({ flood }) => flood.held)).toEqual([0, 0, 0, 1, 2, 3, 0]);
  expect(steps.map(({ flood }) => flood.heldAt)).toEqual([
    null,
    null,
    null,
    ...Array(3).fill(NOON + 3 * MINUTE),
    null,
  ]);
});

test("never do more than the limit open in ten minutes, and what is over goes on with the next", () => {
  const some = fc
    .array(fc.integer({ min: 0, max: 90 }), { maxLength: 80 })
    .map((all) => all.toSorted((a, b) => a - b));
  fc.assert(
    fc.property(some, (minutes) => {
      const opened = new Map<number, number>();
      let flood = CALM;
      for (const minute of minutes) {
        const at = NOON + minute * MINUTE;
        const wasOver = flood.heldAt === null || isOver(flood, at, 3);
        const step = admit(flood, at, 3);
        if (flood.heldAt !== null) expect(step.outcome === "Resumes").toBe(wasOver);
        flood = step.flood;
        const window = Math.floor(minute / 10);
        if (flood.heldAt === null) opened.set(window, (opened.get(window) ?? 0) + 1);
      }
      expect(Math.max(0, ...opened.values())).toBeLessThanOrEqual(3);
    }),
    { numRuns: runs(300) },
  );
});
