import fc from "fast-check";
import { DateTime } from "luxon";
import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE, toIso } from "../../../src/lib/instant.ts";
import { DigestConfig } from "../../../src/monitor/digest/digest-config.ts";
import {
  dueDigest,
  latestOccurrence,
  nextOccurrence,
  type Occurrence,
  type Schedule,
} from "../../../src/monitor/digest/schedule.ts";

const scheduleOf = (given: Record<string, unknown> = {}): Schedule =>
  DigestConfig.parse({
    name: "Morning read",
    at: "08:00",
    timezone: "Europe/Berlin",
    receivers: ["mail"],
    ...given,
  });
const brief = ({ key, at, period }: Occurrence) => [key, toIso(at), toIso(period.from), toIso(period.to)];
const next = (given: Record<string, unknown>, after: string) =>
  brief(nextOccurrence(scheduleOf(given), Date.parse(after)));

test.each([
  ["before it", "2026-02-10T06:59:59Z", "2026-02-10", "2026-02-10T07:00:00.000Z"],
  ["at it, which is over", "2026-02-10T07:00:00Z", "2026-02-11", "2026-02-11T07:00:00.000Z"],
  ["over the end of February", "2026-02-28T12:00:00Z", "2026-03-01", "2026-03-01T07:00:00.000Z"],
  [
    "to the last of February in a leap year",
    "2028-02-28T12:00:00Z",
    "2028-02-29",
    "2028-02-29T07:00:00.000Z",
  ],
  ["over New Year", "2026-12-31T12:00:00Z", "2027-01-01", "2027-01-01T07:00:00.000Z"],
  ["into summer time", "2026-03-28T12:00:00Z", "2026-03-29", "2026-03-29T06:00:00.000Z"],
  ["out of summer time", "2026-10-24T12:00:00Z", "2026-10-25", "2026-10-25T07:00:00.000Z"],
])("the next daily digest, asked %s", (_name, after, key, at) => {
  expect(next({}, after).slice(0, 2)).toEqual([key, at]);
});

test("a period runs from digest to digest, so it is shorter or longer on the days of a clock change", () => {
  expect(next({}, "2026-03-28T12:00:00Z").slice(2)).toEqual([
    "2026-03-28T07:00:00.000Z",
    "2026-03-29T06:00:00.000Z",
  ]);
  expect(next({}, "2026-10-24T12:00:00Z").slice(2)).toEqual([
    "2026-10-24T06:00:00.000Z",
    "2026-10-25T07:00:00.000Z",
  ]);
});

test("what a period is compared with is as long as it, and just before it", () => {
  const { before, period } = nextOccurrence(scheduleOf(), Date.parse("2026-03-28T12:00:00Z"));
  expect(before.to).toBe(period.from);
  expect(before.to - before.from).toBe(23 * HOUR);
});

test("a time that is skipped in spring is the first moment after the gap", () => {
  expect(next({ at: "02:30" }, "2026-03-28T12:00:00Z").slice(0, 2)).toEqual([
    "2026-03-29",
    "2026-03-29T01:00:00.000Z",
  ]);
});

test("a time that is shown twice in autumn comes once", () => {
  const schedule = scheduleOf({ at: "02:30" });
  const first = nextOccurrence(schedule, Date.parse("2026-10-24T12:00:00Z"));
  expect(toIso(first.at)).toBe("2026-10-25T00:30:00.000Z");
  expect(nextOccurrence(schedule, first.at).key).toBe("2026-10-26");
});

test.each([
  ["Asia/Kolkata", "2026-02-10T02:30:00.000Z"],
  ["Asia/Kathmandu", "2026-02-10T02:15:00.000Z"],
  ["Pacific/Kiritimati", "2026-02-09T18:00:00.000Z"],
  ["Pacific/Pago_Pago", "2026-02-10T19:00:00.000Z"],
])("the digest of 10 February in %s is at %s", (timezone, at) => {
  const occurrence = nextOccurrence(scheduleOf({ timezone }), Date.parse(at) - 1);
  expect([occurrence.key, toIso(occurrence.at)]).toEqual(["2026-02-10", at]);
});

test("a zone that left a day out has no digest of that day", () => {
  const schedule = scheduleOf({ timezone: "Pacific/Apia", at: "00:00" });
  const last = nextOccurrence(schedule, Date.parse("2011-12-28T12:00:00Z"));
  expect([last.key, nextOccurrence(schedule, last.at).key]).toEqual(["2011-12-29", "2011-12-31"]);
});

test("a weekly digest comes on Mondays, or on the day that it names", () => {
  expect(next({ every: "week" }, "2026-02-10T12:00:00Z")[0]).toBe("2026-02-16");
  expect(next({ every: "week", on: "fri" }, "2026-02-10T12:00:00Z")).toEqual([
    "2026-02-13",
    "2026-02-13T07:00:00.000Z",
    "2026-02-06T07:00:00.000Z",
    "2026-02-13T07:00:00.000Z",
  ]);
});

test("a monthly digest comes on the first, or on its day, or on the last of a shorter month", () => {
  expect(next({ every: "month" }, "2026-02-10T12:00:00Z")[0]).toBe("2026-03-01");
  expect(next({ every: "month", on: 31 }, "2026-02-10T12:00:00Z")[0]).toBe("2026-02-28");
  expect(next({ every: "month", on: 31 }, "2028-02-10T12:00:00Z")[0]).toBe("2028-02-29");
  expect(next({ every: "month", on: 31 }, "2026-02-28T12:00:00Z")).toEqual([
    "2026-03-31",
    "2026-03-31T06:00:00.000Z",
    "2026-02-28T07:00:00.000Z",
    "2026-03-31T06:00:00.000Z",
  ]);
});

const schedules = fc
  .record({
    timezone: fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "America/New_York",
      "America/St_Johns",
      "Asia/Kathmandu",
      "Australia/Lord_Howe",
      "Pacific/Chatham",
      "Pacific/Kiritimati",
      "Africa/Casablanca",
      "Asia/Beirut",
    ),
    at: fc.integer({ min: 0, max: 1_439 }),
    kind: fc.constantFrom<Pick<Schedule, "every" | "on">>(
      { every: "day" },
      { every: "week", on: "sun" },
      { every: "month", on: 31 },
    ),
  })
  .map(({ kind, ...rest }): Schedule => ({ ...rest, ...kind }));
const moments = fc
  .integer({ min: 0, max: 3 * 365 * 24 * 12 })
  .map((steps) => Date.parse("2025-01-01T00:00:00Z") + steps * 5 * MINUTE);

test("stepping forward, every local date comes once and the periods follow each other without a gap", () => {
  fc.assert(
    fc.property(schedules, moments, (schedule, start) => {
      let occurrence = nextOccurrence(schedule, start);
      expect(occurrence.at).toBeGreaterThan(start);
      expect(latestOccurrence(schedule, occurrence.at)).toEqual(occurrence);
      expect(latestOccurrence(schedule, occurrence.at - 1).at).toBeLessThanOrEqual(start);
      for (let i = 0; i < 5; i++) {
        const liveMessages = nextOccurrence(schedule, occurrence.at);
        expect(liveMessages.period.from).toBe(occurrence.at);
        expect(liveMessages.key > occurrence.key).toBe(true);
        const here = DateTime.fromMillis(liveMessages.at, { zone: schedule.timezone });
        expect(here.toISODate()).toBe(liveMessages.key);
        const shown = here.hour * 60 + here.minute;
        if (shown !== schedule.at) expect(here.minus(MINUTE).offset).toBeLessThan(here.offset);
        if (schedule.every === "day") {
          expect(DateTime.fromISO(occurrence.key).plus({ days: 1 }).toISODate()).toBe(liveMessages.key);
        }
        occurrence = liveMessages;
      }
    }),
  );
});

const NOW = Date.parse("2026-02-10T09:00:00Z");
const lastOf = (key: string, periodTo: string) => ({ key, periodTo: Date.parse(periodTo) });

test("the first digest is the first occurrence after it was configured", () => {
  expect(dueDigest(scheduleOf(), null, NOW - 30 * MINUTE, NOW)).toEqual({
    outcome: "Waits",
    until: Date.parse("2026-02-11T07:00:00Z"),
  });
  expect(dueDigest(scheduleOf(), null, NOW - 3 * HOUR, NOW)).toMatchObject({
    outcome: "Due",
    occurrence: { key: "2026-02-10" },
  });
});

test("a digest that is written waits for the next day", () => {
  const last = lastOf("2026-02-10", "2026-02-10T07:00:00Z");
  expect(dueDigest(scheduleOf(), last, 0, NOW)).toEqual({
    outcome: "Waits",
    until: Date.parse("2026-02-11T07:00:00Z"),
  });
});

test("after an outage one digest covers all missed periods", () => {
  const due = dueDigest(scheduleOf(), lastOf("2026-02-07", "2026-02-07T07:00:00Z"), 0, NOW);
  expect(due).toMatchObject({
    outcome: "Due",
    occurrence: {
      key: "2026-02-10",
      period: { from: Date.parse("2026-02-07T07:00:00Z"), to: Date.parse("2026-02-10T07:00:00Z") },
      before: { from: Date.parse("2026-02-04T07:00:00Z"), to: Date.parse("2026-02-07T07:00:00Z") },
    },
  });
});

test("after months it covers one day", () => {
  const due = dueDigest(scheduleOf(), lastOf("2025-12-01", "2025-12-01T07:00:00Z"), 0, NOW);
  expect(due.outcome === "Due" && due.occurrence.period.from).toBe(NOW - 26 * HOUR);
});

test("a changed time leaves nothing out and covers no date twice", () => {
  const last = lastOf("2026-02-10", "2026-02-10T07:00:00Z");
  const earlier = scheduleOf({ at: "06:00" });
  expect(dueDigest(earlier, last, 0, NOW + DAY)).toMatchObject({
    occurrence: {
      key: "2026-02-11",
      period: { from: last.periodTo, to: Date.parse("2026-02-11T05:00:00Z") },
    },
  });
  const later = scheduleOf({ at: "18:00" });
  expect(dueDigest(later, last, 0, NOW)).toEqual({
    outcome: "Waits",
    until: Date.parse("2026-02-11T17:00:00Z"),
  });
});

test.each([
  [{ at: "24:00" }, `write "00:00" for midnight`],
  [{ at: "8am" }, "expected a time of day"],
  [{ timezone: "CET+1" }, `such as "Europe/Berlin"`],
  [{ every: "week", on: 3 }, "needs a day of the week"],
  [{ every: "month", on: "mon" }, "needs a day of the month"],
  [{ on: "mon" }, "write `every: week`"],
  [{ every: "month", on: 32 }, "or of the month (1 to 31)"],
  [{ receivers: [] }, "at least one receiver"],
  [{ skipquiet: true }, "skipquiet"],
])("a fault in %j is reported", (given, message) => {
  const config = { name: "n", at: "08:00", timezone: "UTC", receivers: ["mail"], ...given };
  const issues = DigestConfig.safeParse(config).error?.issues ?? [];
  expect(issues.map((issue) => issue.message).join("; ")).toContain(message);
});
