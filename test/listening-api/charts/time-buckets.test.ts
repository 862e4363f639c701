import fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, toIso } from "../../../src/lib/instant.ts";
import {
  bucketLabel,
  TIME_UNITS,
  type TimeUnit,
  timeBuckets,
} from "../../../src/listening-api/charts/time-buckets.ts";
import { runs } from "../../runs.ts";

const BERLIN = "Europe/Berlin";

function labels(unit: TimeUnit, from: string, to: string, zone: string): string[] {
  const range = { from: Date.parse(from), to: Date.parse(to) };
  return (timeBuckets(unit, range, zone, 1_000) ?? []).map((start) => bucketLabel(start, zone).id);
}

describe("calendar buckets", () => {
  it("are days of the zone, 23 hours long in spring and 25 in autumn", () => {
    expect(labels("days", "2026-03-28T12:00:00Z", "2026-03-30T00:00:00Z", BERLIN)).toEqual([
      "2026-03-28T00:00:00.000+0100",
      "2026-03-29T00:00:00.000+0100",
      "2026-03-30T00:00:00.000+0200",
    ]);
    expect(labels("hours", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", BERLIN)).toHaveLength(23);
    expect(labels("hours", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", BERLIN)).toHaveLength(25);
  });

  it("start weeks on Monday, even when that lies before the range", () => {
    expect(labels("weeks", "2016-01-01T00:00:00Z", "2016-01-12T00:00:00Z", "Etc/UTC")).toEqual([
      "2015-12-28T00:00:00.000+0000",
      "2016-01-04T00:00:00.000+0000",
      "2016-01-11T00:00:00.000+0000",
    ]);
  });

  it("start months on the first, across the year's end", () => {
    expect(labels("months", "2025-12-31T00:00:00Z", "2026-02-01T00:00:00Z", "Asia/Kolkata")).toEqual([
      "2025-12-01T00:00:00.000+0530",
      "2026-01-01T00:00:00.000+0530",
      "2026-02-01T00:00:00.000+0530",
    ]);
  });

  it("leave out the end of the range", () => {
    expect(labels("days", "2016-05-01T00:00:00Z", "2016-05-07T00:00:00Z", "Etc/UTC").at(-1)).toBe(
      "2016-05-06T00:00:00.000+0000",
    );
  });

  it("leave out a day that a zone has never had, and start a day without midnight after the gap", () => {
    expect(labels("days", "2011-12-29T20:00:00Z", "2011-12-31T00:00:00Z", "Pacific/Apia")).toEqual([
      "2011-12-29T00:00:00.000-1000",
      "2011-12-31T00:00:00.000+1400",
    ]);
    expect(labels("days", "2018-11-04T03:00:00Z", "2018-11-05T00:00:00Z", "America/Sao_Paulo")).toEqual([
      "2018-11-04T01:00:00.000-0200",
    ]);
  });
});

describe("clock buckets", () => {
  it("give the hour that is shown twice two buckets", () => {
    expect(labels("hours", "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z", BERLIN)).toEqual([
      "2026-10-25T02:00:00.000+0200",
      "2026-10-25T02:00:00.000+0100",
    ]);
  });

  it("follow the clocks of half-hour and quarter-hour zones", () => {
    expect(labels("hours", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z", "Asia/Kolkata")).toEqual([
      "2026-01-01T05:00:00.000+0530",
      "2026-01-01T06:00:00.000+0530",
    ]);
    expect(labels("hours", "2026-01-01T00:00:00Z", "2026-01-01T00:30:00Z", "Asia/Kathmandu")).toEqual([
      "2026-01-01T05:00:00.000+0545",
      "2026-01-01T06:00:00.000+0545",
    ]);
  });

  it("are cut where the clocks change by half an hour", () => {
    expect(labels("hours", "2026-04-04T14:00:00Z", "2026-04-04T16:30:00Z", "Australia/Lord_Howe")).toEqual([
      "2026-04-05T01:00:00.000+1100",
      "2026-04-05T01:30:00.000+1030",
      "2026-04-05T02:00:00.000+1030",
    ]);
  });
});

it("more buckets than the limit are refused, however long the range", () => {
  const range = { from: 0, to: 3 * HOUR };
  expect(timeBuckets("hours", range, "Etc/UTC", 3)).toHaveLength(3);
  expect(timeBuckets("hours", range, "Etc/UTC", 2)).toBeUndefined();
  expect(timeBuckets("minutes", { from: 0, to: 1e15 }, "Etc/UTC", 1_000)).toBeUndefined();
});

it("a day whose midnight is shown twice starts at the first of them", () => {
  expect(labels("days", "2027-11-07T04:30:00Z", "2027-11-07T06:00:00Z", "America/Havana")).toEqual([
    "2027-11-07T00:00:00.000-0400",
  ]);
});

it("every moment of any range lies in the bucket that its own clock names", () => {
  const zones = [
    "Etc/UTC",
    BERLIN,
    "America/New_York",
    "America/Havana",
    "America/St_Johns",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Chatham",
    "Africa/Casablanca",
  ];
  const moment = fc.integer({ min: Date.parse("2024-01-01"), max: Date.parse("2028-01-01") });
  fc.assert(
    fc.property(
      fc.constantFrom(...TIME_UNITS),
      fc.constantFrom(...zones),
      moment,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (unit, zone, from, length, place) => {
        const to = from + 1 + Math.floor(length * (unit === "minutes" ? 2 * HOUR : 40 * DAY));
        const starts = timeBuckets(unit, { from, to }, zone, 2_000) ?? [];
        const at = from + Math.floor(place * (to - from - 1));
        const start = starts.findLast((candidate) => candidate <= at);
        expect(starts[0]).toBeLessThanOrEqual(from);
        expect(starts[1] ?? to).toBeGreaterThan(from);
        expect(starts.at(-1)).toBeLessThan(to);
        expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
        expect(toIso(start ?? -1)).toBe(toIso(naiveStart(unit, at, zone)));
      },
    ),
    { numRuns: runs(400) },
  );
});

/** Goes back minute by minute while the clock and the calendar name the same bucket; over days by luxon. */
function naiveStart(unit: TimeUnit, at: number, zone: string): number {
  const named = (moment: number) => DateTime.fromMillis(moment, { zone }).toFormat(NAMED[unit]);
  let start = Math.floor(at / MINUTE) * MINUTE;
  const ofDays = LUXON_NAME[unit];
  // Of a midnight that is shown twice (Havana, in autumn), luxon gives the one with the offset of `at`.
  if (ofDays !== undefined) start = DateTime.fromMillis(at, { zone }).startOf(ofDays).toMillis();
  while (named(start - MINUTE) === named(at)) start -= MINUTE;
  return start;
}

const LUXON_NAME: Readonly<Partial<Record<TimeUnit, "month" | "week" | "day">>> = {
  months: "month",
  weeks: "week",
  days: "day",
};

const NAMED: Readonly<Record<TimeUnit, string>> = {
  months: "yyyy-MM",
  weeks: "kkkk-WW",
  days: "yyyy-MM-dd",
  hours: "yyyy-MM-dd HH ZZ",
  minutes: "yyyy-MM-dd HH:mm ZZ",
};
