import fc from "fast-check";
import { expect, it } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { countTicks, timeTicks } from "../../../src/monitor/charts/chart-frame.ts";
import { runs } from "../../runs.ts";

it("the lines for counts are round, few, and reach the largest", () => {
  expect(countTicks(0)).toEqual([0, 1]);
  expect(countTicks(3)).toEqual([0, 1, 2, 3]);
  expect(countTicks(47)).toEqual([0, 20, 40, 60]);
  expect(countTicks(13_400)).toEqual([0, 5_000, 10_000, 15_000]);
  fc.assert(
    fc.property(fc.nat(1e9), (largest) => {
      const ticks = countTicks(largest);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(largest);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.every(Number.isInteger)).toBe(true);
    }),
  );
});

it("the marks of time are round in the zone, also when its clocks are turned", () => {
  const from = Date.UTC(2026, 2, 28, 21);
  const labels = (to: number, zone: string) => timeTicks(from, to, zone, 6).map(({ label }) => label);
  expect(labels(from + 12 * HOUR, "Europe/Berlin")).toEqual([
    "22:00",
    "Sun 29 Mar",
    "04:00",
    "06:00",
    "08:00",
    "10:00",
  ]);
  expect(labels(from + HOUR, "Asia/Kolkata")).toEqual(["02:30", "02:45", "03:00", "03:15"]);
  expect(labels(from + 29 * DAY, "UTC")).toEqual(["2 Apr", "7 Apr", "12 Apr", "17 Apr", "22 Apr"]);
});

it("the marks of time are few, in order and inside, for any span", () => {
  const spans = fc.integer({ min: 5 * MINUTE, max: 400 * DAY });
  fc.assert(
    fc.property(
      fc.nat(2e9),
      spans,
      fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns"),
      (start, span, zone) => {
        const from = start * 1_000;
        const at = timeTicks(from, from + span, zone, 6).map((tick) => tick.at);
        expect(at.length).toBeLessThanOrEqual(8);
        expect(at.every((moment) => moment >= from && moment < from + span)).toBe(true);
        expect([...at].sort((a, b) => a - b)).toEqual(at);
      },
    ),
    { numRuns: runs(60) },
  );
});
