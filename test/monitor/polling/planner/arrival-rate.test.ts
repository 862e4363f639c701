import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import {
  type ArrivalHistory,
  expectedRate,
  hourOfWeek,
  learnArrivals,
  NOTHING_OBSERVED,
  rhythmOf,
} from "../../../../src/monitor/polling/planner/arrival-rate.ts";

/** A Monday, midnight. */
const MONDAY = Date.UTC(2026, 2, 2);

function live(days: number, rateAt: (hour: number) => number, from = MONDAY): ArrivalHistory {
  let history = NOTHING_OBSERVED;
  for (let at = from; at < from + days * DAY; at += 30 * MINUTE) {
    const mentions = rateAt(Math.floor((at % DAY) / HOUR)) * 30;
    history = learnArrivals(history, { mentions, from: at, to: at + 30 * MINUTE });
  }
  return history;
}

test("the week begins on Monday, in UTC", () => {
  expect(hourOfWeek(MONDAY)).toBe(0);
  expect(hourOfWeek(MONDAY - 1)).toBe(167);
  expect(hourOfWeek(MONDAY + 7 * DAY + 25 * HOUR)).toBe(25);
});

test("a query of which nothing is known is expected to be quiet, and is polled for that", () => {
  const rate = expectedRate(NOTHING_OBSERVED, 1, MONDAY) * HOUR;
  expect(rate).toBeGreaterThan(0.05);
  expect(rate).toBeLessThan(1);
});

test("hours of the week are learned: a quiet night and a busy noon", () => {
  const history = live(14, (hour) => (hour >= 9 && hour < 17 ? 6 : 0.5));
  const monday = MONDAY + 14 * DAY;
  expect(expectedRate(history, 1, monday + 12 * HOUR) * MINUTE).toBeCloseTo(6, 0);
  expect(expectedRate(history, 1, monday + 3 * HOUR) * MINUTE).toBeLessThan(1.5);
});

test("a burst is noticed with the next poll, and forgotten within the hour", () => {
  const at = MONDAY + 7 * DAY;
  const quiet = live(7, () => 1);
  const burst = learnArrivals(quiet, { mentions: 400, from: at, to: at + 5 * MINUTE });
  expect(expectedRate(burst, 1, at + 5 * MINUTE) * MINUTE).toBeGreaterThan(10);
  expect(expectedRate(burst, 1, at + 2 * HOUR) * MINUTE).toBeLessThan(3);
});

test("a new query is expected to follow all other queries at this hour", () => {
  const rhythm = rhythmOf({ mentions: 8_000, ms: 10 * HOUR }, { mentions: 40_000, ms: 200 * HOUR });
  expect(rhythm).toBeCloseTo(4, 0);
  expect(rhythmOf({ mentions: 1, ms: HOUR }, { mentions: 2, ms: DAY })).toBe(1);
});

test("a week without polls teaches every hour alike", () => {
  const history = learnArrivals(NOTHING_OBSERVED, { mentions: 336, from: MONDAY, to: MONDAY + 14 * DAY });
  expect(history.hours.size).toBe(168);
  expect(expectedRate(history, 1, MONDAY + 20 * DAY) * HOUR).toBeCloseTo(1, 0);
});

test("with any observations, rates are positive and finite, and old weeks fade", () => {
  const seen = fc.record({
    mentions: fc.integer({ min: 0, max: 1e6 }),
    ms: fc.integer({ min: 0, max: 30 * DAY }),
  });
  fc.assert(
    fc.property(fc.array(seen, { maxLength: 30 }), fc.integer({ min: 0, max: DAY }), (polls, later) => {
      let history = NOTHING_OBSERVED;
      let at = MONDAY;
      for (const { mentions, ms } of polls) {
        history = learnArrivals(history, { mentions, from: at, to: at + ms });
        at += ms;
      }
      const rate = expectedRate(history, 1, at + later);
      expect(rate).toBeGreaterThan(0);
      expect(Number.isFinite(rate)).toBe(true);
      expect(history.total.ms).toBeLessThanOrEqual(28 * DAY + 1);
    }),
  );
});
