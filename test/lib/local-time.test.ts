import fc from "fast-check";
import { DateTime } from "luxon";
import { expect, test } from "vitest";
import { toIso } from "../../src/lib/instant.ts";
import {
  formatLocalTime,
  instantOf,
  LocalTime,
  localDateOf,
  offsetAt,
  plusDays,
  TimeZone,
  weekdayOf,
} from "../../src/lib/local-time.ts";
import { localDay, startOfLocalDay } from "../../src/monitor/rules/local-day.ts";
import { runs } from "../runs.ts";

const dateOf = (iso: string) => {
  const [year = 0, month = 0, day = 0] = iso.split("-").map(Number);
  return { year, month, day };
};

test.each([
  ["an ordinary morning", "Europe/Berlin", "2026-02-10", "08:00", "2026-02-10T07:00:00.000Z"],
  ["a half-hour zone", "Asia/Kolkata", "2026-02-10", "08:00", "2026-02-10T02:30:00.000Z"],
  ["a quarter-hour zone", "Asia/Kathmandu", "2026-02-10", "08:00", "2026-02-10T02:15:00.000Z"],
  ["the end of a day", "Europe/Berlin", "2026-02-28", "24:00", "2026-02-28T23:00:00.000Z"],
  ["a time skipped in spring", "Europe/Berlin", "2026-03-29", "02:30", "2026-03-29T01:00:00.000Z"],
  ["a time skipped in New York", "America/New_York", "2026-03-08", "02:01", "2026-03-08T07:00:00.000Z"],
  ["just after the gap", "Europe/Berlin", "2026-03-29", "03:00", "2026-03-29T01:00:00.000Z"],
  ["just before the gap", "Europe/Berlin", "2026-03-29", "01:59", "2026-03-29T00:59:00.000Z"],
  ["half an hour skipped", "Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-03T15:30:00.000Z"],
  ["a midnight skipped", "Asia/Beirut", "2026-03-29", "00:00", "2026-03-28T22:00:00.000Z"],
  ["a whole day skipped", "Pacific/Apia", "2011-12-30", "12:00", "2011-12-30T10:00:00.000Z"],
])("%s: %s %s %s is %s", (_name, zone, date, time, iso) => {
  expect(toIso(instantOf(zone, dateOf(date), LocalTime.parse(time)))).toBe(iso);
});

test.each([
  ["Europe/Berlin", "2026-10-25", "02:30", "2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"],
  ["America/New_York", "2026-11-01", "01:00", "2026-11-01T05:00:00.000Z", "2026-11-01T06:00:00.000Z"],
  ["Australia/Lord_Howe", "2026-04-05", "01:45", "2026-04-04T14:45:00.000Z", "2026-04-04T15:15:00.000Z"],
])("a time shown twice: %s %s %s is %s first and %s last", (zone, date, time, first, last) => {
  const minutes = LocalTime.parse(time);
  expect(toIso(instantOf(zone, dateOf(date), minutes, "first"))).toBe(first);
  expect(toIso(instantOf(zone, dateOf(date), minutes, "last"))).toBe(last);
});

const zones = fc.constantFrom(
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Pacific/Kiritimati",
  "Africa/Casablanca",
);

test("in any zone the instant shows the asked time, or the clocks never showed it that day", () => {
  fc.assert(
    fc.property(
      zones,
      fc.integer({ min: 0, max: 3_650 }),
      fc.integer({ min: 0, max: 1_439 }),
      fc.constantFrom("first", "last"),
      (zone, days, minutes, repeated) => {
        const date = plusDays({ year: 2020, month: 1, day: 1 }, days);
        const at = DateTime.fromMillis(instantOf(zone, date, minutes, repeated), { zone });
        const shown = at.hour * 60 + at.minute;
        if (shown === minutes && at.day === date.day) return;
        const justBefore = at.minus(1);
        expect(justBefore.hour * 60 + justBefore.minute).toBeLessThan(minutes);
        expect(shown).toBeGreaterThan(minutes);
        expect(at.offset).toBeGreaterThan(justBefore.offset);
      },
    ),
    { numRuns: runs(2_000) },
  );
});

test("the local date and its weekday are those of the zone", () => {
  const at = Date.parse("2026-02-28T23:30:00Z");
  expect(localDateOf(at, "UTC")).toEqual({ year: 2026, month: 2, day: 28 });
  expect(localDateOf(at, "Asia/Kolkata")).toEqual({ year: 2026, month: 3, day: 1 });
  expect(weekdayOf({ year: 2026, month: 3, day: 1 })).toBe("sun");
  expect(weekdayOf({ year: 2026, month: 3, day: 2 })).toBe("mon");
});

test.each(["8", "8:0", "24:01", "25:00", "12:60", "noon", "-1:00", ""])("%j is no time of day", (text) => {
  expect(LocalTime.safeParse(text).error?.issues[0]?.message).toBe(
    `expected a time of day from "00:00" to "24:00", got "${text}"`,
  );
});

test("times are read and written", () => {
  expect(LocalTime.parse("7:05")).toBe(425);
  expect(formatLocalTime(425)).toBe("07:05");
  expect(formatLocalTime(LocalTime.parse("24:00"))).toBe("24:00");
});

test.each(["Europe/Berlin", "UTC", "Asia/Kolkata", "America/Argentina/Ushuaia", "CET", "EST5EDT", "GB"])(
  "%s is a zone",
  (zone) => {
    expect(TimeZone.parse(zone)).toBe(zone);
  },
);

test.each(["Europe/Berln", "+02:00", "UTC+2", "", "local", "BST", "IST", "pst", "SystemV/EST5"])(
  "%j is no zone, and the fault names one",
  (zone) => {
    expect(TimeZone.safeParse(zone).error?.issues[0]?.message).toContain(`such as "Europe/Berlin"`);
  },
);

test("the offset of a zone is that of the calendar at every moment, in whatever order they are asked for", () => {
  const zones = [
    "Europe/Berlin",
    "America/St_Johns",
    "Africa/Casablanca",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
  ];
  const moments = fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2035, 0, 1) });
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.array(moments, { minLength: 1, maxLength: 30 }),
      (zone, all) => {
        for (const at of all)
          expect(offsetAt(at, zone)).toBe(DateTime.fromMillis(at, { zone }).offset * 60_000);
      },
    ),
  );
  const change = Date.UTC(2024, 2, 31, 1);
  expect([change - 1, change, change - 1].map((at) => offsetAt(at, "Europe/Berlin") / 3_600_000)).toEqual([
    1, 2, 1,
  ]);
  expect([offsetAt(change, "UTC"), offsetAt(change, "no zone at all")]).toEqual([0, 0]);
});

test.each(["no zone at all", "", "Mars/Olympus", "Europe/Berlin; drop table"])(
  "a zone %j that the source sends and nobody knows counts as UTC everywhere",
  (zone) => {
    const at = Date.UTC(2026, 2, 29, 23, 30);
    const date = { year: 2026, month: 3, day: 29 };
    expect(localDateOf(at, zone)).toEqual(date);
    expect(instantOf(zone, date, 90)).toBe(Date.UTC(2026, 2, 29, 1, 30));
    expect(localDay(at, zone)).toBe(localDay(at, "UTC"));
    expect(startOfLocalDay(localDay(at, zone), zone)).toBe(Date.UTC(2026, 2, 29));
  },
);
