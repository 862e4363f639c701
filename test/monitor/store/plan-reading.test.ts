import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { planReading } from "../../../src/monitor/store/plan-reading.ts";
import { wholeDays } from "../../../src/monitor/store/whole-days.ts";
import { runs } from "../../runs.ts";

const DAY_0 = Date.parse("2026-03-02T00:00:00Z");
const aDay = (day: number, facts: { mentions?: number; least?: number; queryId?: string } = {}) => {
  const { mentions = 1_000, least = mentions, queryId = "1" } = facts;
  return { projectId: "p", queryId, day: DAY_0 + day * DAY, mentions, least, rarest: "author" as const };
};
const PERIODS = {
  period: { from: DAY_0 + 2 * DAY, to: DAY_0 + 3 * DAY + 6 * HOUR },
  before: { from: DAY_0, to: DAY_0 + DAY + 6 * HOUR },
};

test("what fits is read whole, with the period before", () => {
  const plan = planReading(
    [0, 1, 2, 3].map((day) => aDay(day)),
    PERIODS,
    4_000,
  );
  expect(plan).toMatchObject({ since: null, isCompared: true });
  expect(plan.units.map(({ span, from, to }) => [span, (from - DAY_0) / HOUR, (to - DAY_0) / HOUR])).toEqual([
    [0, 72, 78],
    [0, 48, 72],
    [1, 24, 30],
    [1, 0, 24],
  ]);
});

test("where the period before does not fit, nothing is compared", () => {
  const plan = planReading(
    [0, 1, 2, 3].map((day) => aDay(day)),
    PERIODS,
    3_999,
  );
  expect(plan).toMatchObject({ since: null, isCompared: false });
  expect(plan.units.map(({ span }) => span)).toEqual([0, 0]);
});

test("of too many the newest are read, down to the end of a day, and at least a quarter of an hour", () => {
  const days = [2, 3].map((day) => aDay(day));
  expect(planReading(days, PERIODS, 1_500)).toMatchObject({ since: DAY_0 + 2.5 * DAY, isCompared: false });
  expect(planReading(days, PERIODS, 1)).toMatchObject({ since: PERIODS.period.to - 15 * MINUTE });
  // A query without all values on a day costs nothing.
  expect(planReading([aDay(3)], PERIODS, 1_000)).toMatchObject({ since: null, isCompared: true });
});

test("a rare value is looked for in its quarters of an hour", () => {
  const plan = planReading([aDay(2, { least: 3 }), aDay(3)], PERIODS, 1_100);
  expect(plan.since).toBeNull();
  expect(plan.units.map(({ facet }) => facet)).toEqual([null, "author"]);
});

test("a period is its days and what they lack or have too much, and that is less than half a day at each end", () => {
  const quarters = fc.integer({ min: 0, max: 96 * 5 });
  fc.assert(
    fc.property(quarters, quarters, (a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)].map((n) => DAY_0 + n * 15 * MINUTE) as [
        number,
        number,
      ];
      const { days, edges } = wholeDays({ from, to });
      for (let n = -96; n < 96 * 6; n++) {
        const at = DAY_0 + n * 15 * MINUTE;
        const isIn = (one: { from: number; to: number }) => at >= one.from && at < one.to;
        const times =
          (days !== null && isIn(days) ? 1 : 0) +
          edges.reduce((sum, one) => sum + (isIn(one) ? one.sign : 0), 0);
        expect(times).toBe(isIn({ from, to }) ? 1 : 0);
      }
      if (days !== null) for (const edge of edges) expect(edge.to - edge.from).toBeLessThanOrEqual(12 * HOUR);
    }),
    { numRuns: runs(200) },
  );
});
