import { IANAZone } from "luxon";
import { expect, test } from "vitest";
import { HOUR, toIso } from "../../../src/lib/instant.ts";
import { parseCron } from "../../../src/monitor/digest/cron.ts";
import { DigestConfig } from "../../../src/monitor/digest/digest-config.ts";
import { joinInsights } from "../../../src/monitor/digest/insights.ts";
import { planDigests } from "../../../src/monitor/digest/planned-digest.ts";
import {
  dueDigest,
  latestOccurrence,
  nextOccurrence,
  periodsBefore,
} from "../../../src/monitor/digest/schedule.ts";

const digest = (given: Record<string, unknown>) =>
  DigestConfig.parse({ name: "read", timezone: "Europe/Berlin", receivers: ["mail"], ...given });

/** Local dates and times of the next digests, as `key at`. */
function coming(cron: string, timezone: string, after: string, count: number): string[] {
  const schedule = digest({ cron, timezone });
  const found: string[] = [];
  for (let at = Date.parse(after); found.length < count; ) {
    const next = nextOccurrence(schedule, at);
    found.push(`${next.key} ${toIso(next.at).slice(0, 16)}`);
    at = next.at;
  }
  return found;
}

test.each([
  ["working days", "0 8 * * mon-fri", ["2026-03-06 2026-03-06T07:00", "2026-03-09 2026-03-09T07:00"]],
  ["twice a day", "30 7,18 * * *", ["2026-03-05-1830 2026-03-05T17:30", "2026-03-06-0730 2026-03-06T06:30"]],
  ["steps", "0 */12 1 * *", ["2026-04-01-0000 2026-03-31T22:00", "2026-04-01-1200 2026-04-01T10:00"]],
  [
    "the 13th, and Fridays as well",
    "0 9 13 * 5",
    ["2026-03-06 2026-03-06T08:00", "2026-03-13 2026-03-13T08:00"],
  ],
  [
    "names and seven for Sunday",
    "0 9 * apr 7",
    ["2026-04-05 2026-04-05T07:00", "2026-04-12 2026-04-12T07:00"],
  ],
  ["weekends", "0 9 * * sat-sun", ["2026-03-07 2026-03-07T08:00", "2026-03-08 2026-03-08T08:00"]],
  ["the last day of the month", "0 9 L * *", ["2026-03-31 2026-03-31T07:00", "2026-04-30 2026-04-30T07:00"]],
  ["the second Friday", "0 9 * * fri#2", ["2026-03-13 2026-03-13T08:00", "2026-04-10 2026-04-10T07:00"]],
  [
    "a first hour and a step",
    "0 8/12 * * *",
    ["2026-03-05-2000 2026-03-05T19:00", "2026-03-06-0800 2026-03-06T07:00"],
  ],
  ["leap years", "0 0 29 2 *", ["2028-02-29 2028-02-28T23:00", "2032-02-29 2032-02-28T23:00"]],
])("a cron line with %s comes when it says", (_, cron, expected) => {
  expect(coming(cron, "Europe/Berlin", "2026-03-05T12:00:00Z", 2)).toEqual(expected);
});

test.each([
  [
    "skips an hour in Berlin, and a quarter of its times with it",
    "*/30 2 * * *",
    "Europe/Berlin",
    "2026-03-28T12:00:00Z",
    ["2026-03-29-0200 2026-03-29T01:00", "2026-03-30-0200 2026-03-30T00:00"],
  ],
  [
    "shows an hour twice in Berlin, and each time once",
    "*/30 2 * * *",
    "Europe/Berlin",
    "2026-10-24T12:00:00Z",
    [
      "2026-10-25-0200 2026-10-25T00:00",
      "2026-10-25-0230 2026-10-25T00:30",
      "2026-10-26-0200 2026-10-26T01:00",
    ],
  ],
  [
    "shifts by half an hour on Lord Howe",
    "15 2 * * *",
    "Australia/Lord_Howe",
    "2026-10-02T12:00:00Z",
    ["2026-10-03 2026-10-02T15:45", "2026-10-04 2026-10-03T15:30", "2026-10-05 2026-10-04T15:15"],
  ],
  [
    "has an offset of half an hour in India",
    "30 7 * * *",
    "Asia/Kolkata",
    "2026-03-05T12:00:00Z",
    ["2026-03-06 2026-03-06T02:00"],
  ],
])("where the clock %s, no period is covered twice or is empty", (_, cron, timezone, after, expected) => {
  expect(coming(cron, timezone, after, expected.length)).toEqual(expected);
  const schedule = digest({ cron, timezone });
  for (let at = Date.parse(after), i = 0; i < 6; i++) {
    const { period, at: due } = nextOccurrence(schedule, at);
    expect(period.to).toBe(due);
    expect(period.to).toBeGreaterThan(period.from);
    // Each begins where the one before it ended.
    expect(latestOccurrence(schedule, due - 1).at).toBe(period.from);
    at = due;
  }
});

test("in every zone, and on the days on which its clocks change, a cron line comes when `at` would", () => {
  const days = Array.from({ length: 365 }, (_, day) => Date.parse("2026-01-01T00:00:00Z") + day * 24 * HOUR);
  // Zones with the same offsets all year are one.
  const zones = new Map(
    Intl.supportedValuesOf("timeZone").map((name) => {
      const zone = IANAZone.create(name);
      return [
        days
          .filter((_, day) => day % 14 === 0)
          .map((at) => zone.offset(at))
          .join(),
        zone,
      ];
    }),
  );
  expect(zones.size).toBeGreaterThan(40);
  for (const zone of zones.values()) {
    const changes = days.filter((at) => zone.offset(at) !== zone.offset(at + 24 * HOUR));
    for (const [cron, at] of [
      ["30 2 * * *", "02:30"],
      ["0 0 * * *", "00:00"],
    ] as const) {
      const [asCron, asTime] = [digest({ cron, timezone: zone.name }), digest({ at, timezone: zone.name })];
      for (const change of changes.length === 0 ? days.slice(0, 1) : changes) {
        const next = nextOccurrence(asTime, change);
        expect(nextOccurrence(asCron, change), `${cron} in ${zone.name}`).toEqual(next);
        expect(nextOccurrence(asCron, next.at)).toEqual(nextOccurrence(asTime, next.at));
      }
    }
  }
});

test("editions of one day follow each other, and none is due twice", () => {
  const schedule = digest({ cron: "0 8,18 * * *", timezone: "UTC" });
  const morning = { key: "2026-03-05-0800", periodTo: Date.parse("2026-03-05T08:00:00Z") };
  const noon = dueDigest(schedule, morning, 0, Date.parse("2026-03-05T12:00:00Z"));
  expect(noon).toEqual({ outcome: "Waits", until: Date.parse("2026-03-05T18:00:00Z") });
  const evening = dueDigest(schedule, morning, 0, Date.parse("2026-03-05T18:00:00Z"));
  expect(evening).toMatchObject({
    outcome: "Due",
    occurrence: { key: "2026-03-05-1800", period: { from: morning.periodTo } },
  });
});

test.each([
  ["8 * * *", /five fields/],
  ["0 25 * * *", /the hour/],
  ["60 8 * * *", /the minute/],
  ["0 8 * * friday", /the day of the week/],
  ["0 8 30 feb *", /no date fits/],
  ["* * * * *", /1440 times a day/],
  ["0 8-6 * * *", /the hour/],
  ["0 8 */0 * *", /the day of the month/],
  ["0 8 1-2-3 * *", /the day of the month/],
  ["0 8 32 * *", /the day of the month/],
  ["0 8 * 13 *", /the month/],
  // On one day in 28 years.
  ["0 8 29 2 +sat", /no date fits .* 8 years/],
  ["@daily", /five fields/],
  ["2026-03-29T08:00:00Z", /five fields/],
  ["0 0 8 * * *", /five fields/],
])("the cron line %s is refused", (cron, says) => {
  expect(parseCron(cron)).toEqual(expect.stringMatching(says));
  expect(DigestConfig.safeParse({ name: "r", timezone: "UTC", receivers: ["m"], cron }).success).toBe(false);
});

test.each([
  [{ cron: "0 8 * * *", at: "08:00" }, /leave out/],
  [{ cron: "0 8 * * *", every: "day" }, /leave out/],
  [{}, /say when/],
  [{ at: "08:00", language: "xx-nothing-here" }, /tag of a language/],
  [{ at: "08:00", receivers: [{ name: "m", timezone: "+02:00" }] }, /./],
])("a digest of %j is refused", (given, says) => {
  const read = DigestConfig.safeParse({ name: "r", timezone: "UTC", receivers: ["m"], ...given });
  expect(JSON.stringify(read.error?.issues)).toMatch(says);
});

test("readers in several zones read editions of their own, at their own hour, in their own language", () => {
  const planned = planDigests([
    digest({
      at: "08:00",
      receivers: [
        "desk",
        { name: "delhi", timezone: "Asia/Kolkata" },
        { name: "chef", language: "fr" },
        { name: "mumbai", timezone: "Asia/Kolkata", language: "hi" },
      ],
    }),
  ]);
  expect(planned.map(({ name, title, receivers }) => ({ name, title, receivers }))).toEqual([
    { name: "read", title: "read", receivers: ["desk", "chef"] },
    { name: "read (Asia/Kolkata)", title: "read", receivers: ["delhi", "mumbai"] },
  ]);
  expect(planned.map(({ languages }) => [...languages])).toEqual([[["chef", "fr"]], [["mumbai", "hi"]]]);
  const dues = planned.map((one) => toIso(nextOccurrence(one, Date.parse("2026-03-05T12:00:00Z")).at));
  expect(dues).toEqual(["2026-03-06T07:00:00.000Z", "2026-03-06T02:30:00.000Z"]);
});

test("the periods before are those that were on the wall, over a change of the clocks too", () => {
  const schedule = digest({ at: "08:00" });
  const periods = periodsBefore(schedule, Date.parse("2026-03-30T06:00:00Z"), 3);
  expect(periods.map(({ from, to }) => (to - from) / HOUR)).toEqual([24, 23, 24]);
});

test("what several projects say is one list, the same name counted once", () => {
  const joined = joinInsights([
    { authors: [{ name: "Ann", mentions: 3, negative: 1 }], hashtags: [{ name: "Late", mentions: 2 }] },
    {
      authors: [
        { name: "ann", mentions: 4, negative: null },
        { name: "Bo", mentions: 5, negative: 0 },
      ],
      hashtags: [{ name: "late", mentions: 7 }],
    },
  ]);
  expect(joined).toEqual({
    authors: [
      { name: "Ann", mentions: 7, negative: null },
      { name: "Bo", mentions: 5, negative: 0 },
    ],
    hashtags: [{ name: "Late", mentions: 9 }],
  });
});
