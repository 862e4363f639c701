import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import { holdsWithin, rangeAt, WeeklyRange } from "../../src/lib/weekly-range.ts";

const range = (from: string, to: string, more: object = {}) =>
  WeeklyRange.parse({ timezone: "Europe/Berlin", from, to, ...more });
/** Clocks in Berlin go from 02:00 to 03:00 at this moment. */
const CHANGE = Date.parse("2026-03-29T01:00:00Z");

test("a range inside the hour that the clocks skip begins after the gap and lasts as long as it reads", () => {
  const skipped = [range("02:15", "02:45")];
  expect(rangeAt(skipped, CHANGE - 1)).toBeNull();
  expect(rangeAt(skipped, CHANGE)?.until).toBe(CHANGE + 30 * MINUTE);
  expect(rangeAt(skipped, CHANGE + 30 * MINUTE)).toBeNull();
  // One that is skipped in part ends when the clocks say so.
  expect(rangeAt([range("02:30", "04:00")], CHANGE)?.until).toBe(CHANGE + HOUR);
});

test("whether a range holds at any moment of a time", () => {
  const nights = [range("22:00", "07:00", { days: ["mon"] })];
  const monday = Date.parse("2026-03-02T12:00:00Z");
  expect(holdsWithin(nights, monday, monday + 8 * HOUR)).toBe(false);
  expect(holdsWithin(nights, monday, monday + 10 * HOUR)).toBe(true);
  expect(holdsWithin(nights, monday + 15 * HOUR, monday + 16 * HOUR)).toBe(true);
  expect(holdsWithin(nights, monday + 24 * HOUR, monday + 6 * 24 * HOUR)).toBe(false);
  expect(holdsWithin(nights, monday + 24 * HOUR, monday + 8 * 24 * HOUR)).toBe(true);
});

test("a range holds from its beginning to its end, and touches nothing before and behind", () => {
  const lunch = [range("12:00", "13:00")];
  const noon = Date.parse("2026-03-02T11:00:00Z");
  expect([noon - 1, noon, noon + HOUR - 1, noon + HOUR].map((at) => rangeAt(lunch, at)?.until)).toEqual([
    undefined,
    noon + HOUR,
    noon + HOUR,
    undefined,
  ]);
  expect(holdsWithin(lunch, noon - HOUR, noon)).toBe(false);
  expect(holdsWithin(lunch, noon + HOUR, noon + 2 * HOUR)).toBe(false);
});

test("from a time to the same time is a whole day", () => {
  const day = [range("08:00", "08:00", { days: ["mon"] })];
  const began = Date.parse("2026-03-02T07:00:00Z");
  expect(rangeAt(day, began + 23 * HOUR)?.until).toBe(began + 24 * HOUR);
  expect(rangeAt(day, began - 1)).toBeNull();
});

test("a time that clocks show twice begins a range at the first and ends it at the second", () => {
  // Clocks in Berlin go from 03:00 back to 02:00 at this moment.
  const back = Date.parse("2026-10-25T01:00:00Z");
  expect(rangeAt([range("22:00", "02:30")], back - 2 * HOUR)?.until).toBe(back + 30 * MINUTE);
  expect(rangeAt([range("02:30", "06:00")], back - 30 * MINUTE)?.until).toBe(back + 4 * HOUR);
});
