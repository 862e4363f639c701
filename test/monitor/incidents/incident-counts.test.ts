import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { countIncident, spanOf } from "../../../src/monitor/incidents/incident-counts.ts";
import { incidentOf, NOON } from "./incident-of.ts";

const minutes = (count: number) => NOON + count * MINUTE;
const bucket = (minute: number, negative: number, total = 2 * negative) => ({
  ...{ at: minutes(minute), negative, total },
});

test("an incident is counted from its first window until it calmed down, or until now", () => {
  const open = incidentOf({ checkedUntil: minutes(90), lastSeenAt: minutes(60), uncalmUntil: minutes(62) });
  expect(spanOf(open)).toEqual({ from: NOON - HOUR / 2, to: minutes(90) });
  expect(spanOf({ ...open, status: "watching", calmSince: minutes(80) }).to).toBe(minutes(65));
  // Not before it was opened, however early its alerts saw the last of it.
  const early = { ...open, calmSince: minutes(-10), lastSeenAt: minutes(-20), uncalmUntil: minutes(-20) };
  expect(spanOf(early).to).toBe(NOON);
});

test("its numbers are of its span, the most of any hour of it, and those of the hour up to now", () => {
  const buckets = [
    bucket(-5, 70),
    bucket(0, 10),
    bucket(5, 1),
    bucket(60, 20),
    bucket(65, 3),
    bucket(70, 90),
  ];
  const counts = countIncident(incidentOf({ checkedUntil: minutes(75) }), buckets, {
    from: NOON,
    to: minutes(70),
  });
  expect(counts).toEqual({
    ...{ from: NOON, to: minutes(70), negative: 34, total: 68 },
    // From 12:10 to 13:10: what was at noon is older than an hour.
    most: { count: 23, until: minutes(70) },
    lastHour: { negative: 113, total: 226 },
  });
});

test("the most is of its measure, the first of equals, and cut off where its span ends", () => {
  const buckets = [bucket(0, 4, 5), bucket(5, 0, 9), bucket(10, 0, 0)];
  const most = (measure: "negative" | "total", to: number, some = buckets) =>
    countIncident(incidentOf({ measure }), some, { from: NOON, to: minutes(to) }).most;
  expect(most("negative", 15)).toEqual({ count: 4, until: minutes(5) });
  expect(most("total", 15)).toEqual({ count: 14, until: minutes(10) });
  // What began within it and ends behind it is not all its own.
  expect(most("total", 5)).toEqual({ count: 5, until: minutes(5) });
  expect(most("negative", 15, [])).toBeNull();
  expect(most("negative", 15, [bucket(0, 0, 3)])).toBeNull();
});
