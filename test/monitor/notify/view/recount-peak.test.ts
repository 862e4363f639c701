import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import type { CountedBucket } from "../../../../src/monitor/notify/view/recount-peak.ts";
import { withPeak } from "../../../../src/monitor/notify/view/recount-peak.ts";
import { alertOf, NOON } from "../../incidents/incident-of.ts";

const BUCKET = 5 * MINUTE;
/** Counts of five minutes each, the first of which began 15 minutes before noon. */
const from = (...counts: number[]): CountedBucket[] =>
  counts.map((n, index) => ({ bucket: NOON - 15 * MINUTE + index * BUCKET, n }));

const counted = (count: number, at: number) => ({ count, at, windowMs: 15 * MINUTE, subject: "mentions" });
const past = alertOf({
  windowFrom: NOON,
  windowTo: NOON + 15 * MINUTE,
  because:
    "1,160 mentions in 15 min at the peak, 2.5 expected at this hour. Chance alone seldom brings so many.",
  values: { count: 1_160, expected: 2.5 },
  progress: { peak: counted(1_160, NOON + 15 * MINUTE) },
});

test("the peak is counted again: what came late is in, what was deleted is out", () => {
  const alert = withPeak(past, from(1, 2, 3, 400, 410, 347, 5), NOON + HOUR);
  expect(alert.because).toBe(
    "1,157 mentions in 15 min at the peak, 2.5 expected at this hour. Chance alone seldom brings so many.",
  );
  expect(alert.values).toEqual({ count: 1_157, expected: 2.5 });
  expect(alert.progress?.peak).toEqual(counted(1_157, NOON + 15 * MINUTE));
});

test("what is expected is said only for the hour to which it belongs", () => {
  const quiet = Array.from({ length: 24 }, () => 0);
  const alert = withPeak(past, from(1, 2, 3, ...quiet, 900, 900), NOON + 4 * HOUR);
  expect(alert.because).toBe("1,800 mentions in 15 min at the peak. Chance alone seldom brings so many.");
  expect(alert.values).toEqual({});
});

test("a window before the alert is not its peak, and a sentence of now stays", () => {
  const now = { ...past, because: "12 mentions in 15 min, 2.5 expected at this hour." };
  const alert = withPeak(now, from(90, 1, 1, 4, 4, 4), NOON + HOUR);
  expect(alert.because).toBe(now.because);
  expect(alert.progress?.peak?.count).toBe(92);
  expect(withPeak(now, from(90, 1, 1, 4, 4, 4), NOON + HOUR).progress?.peak?.at).toBe(NOON);
  expect(
    withPeak({ ...now, openedAt: NOON + BUCKET }, from(90, 1, 1, 4), NOON + HOUR).progress?.peak?.count,
  ).toBe(6);
});
