import { expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { isQuiet, volumeOf } from "../../../src/monitor/digest/volume.ts";
import { formatAgainst, formatPeriod, formatPoints } from "../../../src/monitor/templates/formatters.ts";

const at = (text: string) => Date.parse(text);

test("a day is drawn by hours, a week by days, each with its sentiment, and nothing without mentions", () => {
  const day = { from: at("2026-03-09T00:00Z"), to: at("2026-03-10T00:00Z") };
  const drawn = volumeOf(
    day,
    [
      { step: 3, mentions: 10, negative: 5 },
      { step: 11, mentions: 40, negative: 40 },
    ],
    "UTC",
  );
  expect(drawn).toMatchObject({ step: "hour", most: 40, peakAt: day.from + 11 * HOUR });
  expect(drawn?.bars).toHaveLength(24);
  expect(drawn?.bars[3]).toMatchObject({ mentions: 10, negativeHeight: 8, otherHeight: 7 });
  expect(drawn?.bars[11]).toMatchObject({ negativeHeight: 60, otherHeight: 0 });
  expect(drawn?.line).toBe("▁▁▁▃▁▁▁▁▁▁▁█▁▁▁▁▁▁▁▁▁▁▁▁");
  const week = { from: day.from, to: day.from + 7 * DAY };
  expect(volumeOf(week, [{ step: 6, mentions: 1, negative: 0 }], "UTC")).toMatchObject({
    step: "day",
    bars: { length: 7 },
  });
  expect(volumeOf(week, [], "UTC")).toBeNull();
});

test.each([
  ["2026-03-09T00:00+01:00", "2026-03-10T00:00+01:00", "en", "Mon 9 Mar 2026"],
  ["2026-03-09T00:00+01:00", "2026-03-16T00:00+01:00", "en", "9 to 15 March 2026"],
  ["2026-03-30T00:00+02:00", "2026-04-06T00:00+02:00", "en", "30 March to 5 April 2026"],
  ["2025-12-29T00:00+01:00", "2026-01-05T00:00+01:00", "en", "29 December 2025 to 4 January 2026"],
  ["2026-03-01T00:00+01:00", "2026-04-01T00:00+02:00", "en", "March 2026"],
  ["2026-03-09T08:00+01:00", "2026-03-10T08:00+01:00", "en", "Mon 9 Mar 2026"],
  ["2026-03-09T07:30+01:00", "2026-03-16T07:30+01:00", "en", "9 to 15 March 2026"],
  ["2026-03-01T08:00+01:00", "2026-04-01T08:00+02:00", "en", "March 2026"],
  ["2026-03-09T08:30+01:00", "2026-03-09T17:30+01:00", "en", "Mon 9 Mar 2026"],
  ["2026-03-09T00:00+01:00", "2026-03-16T00:00+01:00", "de", "9.–15. März 2026"],
  ["2026-03-01T00:00+01:00", "2026-04-01T00:00+02:00", "de", "März 2026"],
])("the period from %s to %s is called in %s %s", (from, to, language, name) => {
  expect(formatPeriod(at(from), at(to), "Europe/Berlin", language)).toBe(name);
});

test("changes are said in words", () => {
  expect([
    formatAgainst(1204, 580, "the usual"),
    formatAgainst(600, 580, "the usual"),
    formatAgainst(700, 580, "the usual"),
    formatAgainst(290, 580, "the usual"),
    formatAgainst(5800, 580, "the usual"),
    formatAgainst(3, 0, "the usual"),
    formatAgainst(1141, 1, "the usual"),
    formatAgainst(6, 3, "the usual"),
  ]).toEqual([
    "twice the usual 580",
    "about the usual 580",
    "21% more than the usual 580",
    "50% less than the usual 580",
    "10 times the usual 580",
    "none before",
    "against the usual 1",
    "twice the usual 3",
  ]);
  expect([formatPoints(69, 100, 45, 100), formatPoints(45, 100, 45, 100), formatPoints(1, 2, 0, 0)]).toEqual([
    "24 points more than usual",
    "as usual",
    "",
  ]);
});

const totals = (
  mentions: number,
  previous: number | null,
  negative = 0,
  previousNegative = previous === null ? null : 0,
) => ({
  ...{ mentions, negative, previousMentions: previous, previousNegative },
});
const quiet = (given: object, perQuery: readonly object[] = []) =>
  isQuiet({
    ...{
      completeUntil: 5,
      periodTo: 5,
      alerts: [],
      incidents: [],
      totals: totals(100, 100),
      perQuery,
      ...given,
    },
  } as unknown as Parameters<typeof isQuiet>[0]);

test.each<[string, object, boolean]>([
  ["as usual", {}, true],
  ["not read to its end", { completeUntil: 4 }, false],
  ["with an alert", { alerts: [{}] }, false],
  ["with an incident", { incidents: [{}] }, false],
  ["half as much more", { totals: totals(150, 100) }, true],
  ["more than that", { totals: totals(151, 100) }, false],
  ["more than that, but not a dozen", { totals: totals(19, 8) }, true],
  ["a dozen more", { totals: totals(20, 8) }, false],
  ["more negative", { totals: totals(100, 100, 12, 0) }, false],
  ["a quarter", { totals: totals(25, 100) }, true],
  ["less than a quarter", { totals: totals(24, 100) }, false],
  ["less than a quarter of what was hardly more", { totals: totals(5, 23) }, true],
  ["less than a quarter of two dozen", { totals: totals(5, 24) }, false],
  ["without mentions, the first time", { totals: totals(0, null) }, true],
  ["with mentions, the first time", { totals: totals(1, null) }, false],
  ["busier in one query", { perQuery: [totals(100, 100), totals(40, 8)] }, false],
])("a period is quiet or not: %s", (_, given, expected) => {
  expect(quiet(given)).toBe(expected);
});

test("two days are drawn by hours, longer periods by days, and bars are rounded to whole points", () => {
  const steps = [2 * DAY, 2 * DAY + 1, 2.6 * DAY].map((length) =>
    volumeOf({ from: 0, to: length }, [{ step: 0, mentions: 7, negative: 2 }], "UTC"),
  );
  expect(steps.map((one) => [one?.step, one?.bars.length])).toEqual([
    ["hour", 48],
    ["day", 3],
    ["day", 3],
  ]);
  const drawn = volumeOf(
    { from: 0, to: DAY },
    [
      { step: 0, mentions: 7, negative: 3 },
      { step: 1, mentions: 2, negative: 1 },
      { step: 2, mentions: 1, negative: 1 },
    ],
    "UTC",
  );
  expect(
    drawn?.bars.slice(0, 4).map(({ negativeHeight, otherHeight }) => [negativeHeight, otherHeight]),
  ).toEqual([
    [26, 34],
    [9, 8],
    [9, 0],
    [0, 0],
  ]);
  expect(drawn?.line.slice(0, 4)).toBe("█▃▂▁");
});

test("the days of a week from eight to eight begin at eight, also where clocks change", () => {
  const week = { from: at("2026-10-19T08:00+02:00"), to: at("2026-10-26T08:00+01:00") };
  const drawn = volumeOf(week, [{ step: 6, mentions: 5, negative: 0 }], "Europe/Berlin");
  expect(drawn?.bars).toHaveLength(7);
  expect(drawn?.bars.slice(4).map((bar) => bar.at)).toEqual([
    at("2026-10-23T08:00+02:00"),
    at("2026-10-24T08:00+02:00"),
    at("2026-10-25T08:00+01:00"),
  ]);
  expect(drawn?.peakAt).toBe(at("2026-10-25T08:00+01:00"));
});

test("every hour and day that a period has is drawn, a last part of one, too", () => {
  const last = (length: number, step: number) =>
    volumeOf({ from: 0, to: length }, [{ step, mentions: 1, negative: 0 }], "UTC")?.bars.at(-1)?.mentions;
  expect([last(24.4 * HOUR, 24), last(7 * DAY + HOUR, 7)]).toEqual([1, 1]);
});
