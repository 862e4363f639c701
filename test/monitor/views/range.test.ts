import fc from "fast-check";
import { expect, test } from "vitest";
import { HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import { labelOf, RANGES, RangeQuestion, readRange, STEPS } from "../../../src/monitor/views/range.ts";

const ask = (asked: Record<string, string>) => RangeQuestion.parse(asked);
const lengths = (moments: readonly Instant[]) =>
  moments.slice(1).map((to, n) => (to - (moments[n] ?? 0)) / HOUR);

test("days are those of the zone, and have 23 and 25 hours when its clocks change", () => {
  const spring = readRange(ask({ last: "7d" }), Date.parse("2026-03-31T10:05:00Z"), "Europe/Berlin");
  expect(new Date(spring.moments[0] ?? 0).toISOString()).toBe("2026-03-24T23:00:00.000Z");
  // Today ends with the quarter of now.
  expect(lengths(spring.moments)).toEqual([24, 24, 24, 24, 23, 24, 12.25]);
  expect(labelOf(spring, 4)).toBe("Sun 29 Mar");
  // The seven days before, up to the same time of the same weekday.
  expect(new Date(spring.before[0] ?? 0).toISOString()).toBe("2026-03-17T23:00:00.000Z");
  expect(new Date(spring.before.at(-1) ?? 0).toISOString()).toBe("2026-03-24T11:15:00.000Z");
  const autumn = readRange(ask({ last: "7d" }), Date.parse("2026-10-26T10:05:00Z"), "Europe/Berlin");
  expect(lengths(autumn.moments)).toEqual([24, 24, 24, 24, 24, 25, 11.25]);
  const kolkata = readRange(ask({ last: "24h" }), Date.parse("2026-03-31T10:05:00Z"), "Asia/Kolkata");
  expect(new Date(kolkata.moments[0] ?? 0).toISOString()).toBe("2026-03-30T10:30:00.000Z");
});

test("a step that would draw thousands of columns becomes the next one", () => {
  const now = Date.parse("2026-03-31T10:05:00Z");
  expect(readRange(ask({ last: "90d", by: "hour" }), now, "UTC").by).toBe("week");
  expect(readRange(ask({ last: "7d", by: "hour" }), now, "UTC").moments).toHaveLength(6 * 24 + 11 + 1);
  expect(readRange(ask({ last: "no", from: "1e99", by: "x" }), now, "UTC")).toMatchObject({
    last: "7d",
    by: "day",
  });
  expect(readRange(ask({ from: String(now), to: String(now - 1) }), now, "UTC").last).toBe("7d");
});

test("steps follow each other without a gap, are whole quarters, and the time before ends where they begin, or earlier", () => {
  const zones = ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/Santiago", "Australia/Lord_Howe"];
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2027, 0, 1) }),
      fc.constantFrom(...zones),
      fc.oneof(
        fc.record({ last: fc.constantFrom(...RANGES) }),
        fc.record({
          from: fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2027, 0, 1) }),
          to: fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2027, 0, 1) }),
        }),
      ),
      fc.constantFrom(...STEPS, undefined),
      (now, zone, span, by) => {
        const { moments, before } = readRange(RangeQuestion.parse({ ...span, by }), now, zone);
        expect(moments.length).toBeGreaterThan(1);
        expect(moments.length).toBeLessThan(400);
        expect(moments).toEqual([...new Set(moments)].sort((a, b) => a - b));
        expect(moments.every((at) => at % (15 * MINUTE) === 0)).toBe(true);
        expect(before).toHaveLength(moments.length);
        expect(before).toEqual(before.toSorted((a, b) => a - b));
        // An hour of summer time may lie in one of the two.
        expect(before.at(-1)).toBeLessThanOrEqual((moments[0] ?? 0) + HOUR);
      },
    ),
  );
});
