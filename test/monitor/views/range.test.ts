import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import {
  describeMoment,
  describeSpan,
  labelOf,
  RANGES,
  RangeQuestion,
  rangeSince,
  readRange,
  STEPS,
  shortLabelOf,
  spanOfMoments,
} from "../../../src/monitor/views/range.ts";

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

const NOW = Date.parse("2026-03-31T10:05:00Z");
const between = (from: string, to: string, by?: string) =>
  readRange(
    ask({ from: String(Date.parse(from)), to: String(Date.parse(to)), ...(by === undefined ? {} : { by }) }),
    NOW,
    "UTC",
  );

test.each([
  ["three days", 3 * DAY, undefined, "hour"],
  ["a little more than three days", 3 * DAY + 15 * MINUTE, undefined, "day"],
  ["62 days", 62 * DAY, undefined, "day"],
  ["a little more than 62 days", 62 * DAY + 15 * MINUTE, undefined, "week"],
  ["fourteen days by hour", 14 * DAY, "hour", "hour"],
  ["more than fourteen days by hour", 14 * DAY + 15 * MINUTE, "hour", "day"],
  ["a year by day", 366 * DAY, "day", "day"],
  ["more than a year by day", 366 * DAY + 15 * MINUTE, "day", "week"],
  ["two days by week", 2 * DAY, "week", "week"],
  ["two days by day", 2 * DAY, "day", "day"],
])("%s are steps of one %s", (_, length, by, step) => {
  const to = Date.UTC(2026, 2, 31);
  expect(
    readRange(ask({ from: String(to - length), to: String(to), ...(by ? { by } : {}) }), NOW, "UTC").by,
  ).toBe(step);
});

test("a range of moments is widened to whole quarters, ends now at the latest by itself, and has five years at most", () => {
  const { moments, last } = between("2026-03-30T10:07:00Z", "2026-03-30T12:08:00Z");
  expect(spanOfMoments(moments)).toEqual({
    from: Date.parse("2026-03-30T10:00:00Z"),
    to: Date.parse("2026-03-30T12:15:00Z"),
  });
  expect(last).toBeNull();
  const open = readRange(ask({ from: String(NOW - HOUR) }), NOW, "UTC");
  expect(spanOfMoments(open.moments)).toEqual({ from: NOW - HOUR - 5 * MINUTE, to: NOW + 10 * MINUTE });
  const long = between("1999-01-01T00:00:00Z", "2026-03-30T00:00:00Z");
  expect(spanOfMoments(long.moments).from).toBe(Date.parse("2026-03-30T00:00:00Z") - 5 * 366 * DAY);
  // A named range counts before moments, and one that is empty is none.
  expect(readRange(ask({ last: "30d", from: String(NOW - HOUR) }), NOW, "UTC").last).toBe("30d");
  expect(readRange(ask({ from: String(NOW), to: String(NOW) }), NOW, "UTC").last).toBe("7d");
  expect(spanOfMoments([])).toEqual({ from: 0, to: 0 });
});

test("weeks begin on Mondays, and the time before is as many whole weeks earlier", () => {
  const { moments, before } = between("2026-01-07T00:00:00Z", "2026-03-17T00:00:00Z");
  expect(new Date(moments[1] ?? 0).toISOString()).toBe("2026-01-12T00:00:00.000Z");
  expect(moments.every((at, n) => at - (before[n] ?? 0) === 10 * 7 * DAY)).toBe(true);
});

test("the time before is as long: 24 hours, or as many days, at the same time of the day", () => {
  const day = readRange(ask({ last: "24h" }), Date.parse("2026-03-29T10:05:00Z"), "Europe/Berlin");
  expect(day.moments.every((at, n) => at - (day.before[n] ?? 0) === 24 * HOUR)).toBe(true);
  const month = readRange(ask({ last: "30d" }), NOW, "UTC");
  expect(month.moments.every((at, n) => at - (month.before[n] ?? 0) === 30 * DAY)).toBe(true);
});

test("a range that begins at the first moment of an hour or a day has a step", () => {
  const midnight = Date.parse("2026-03-31T00:00:00Z");
  const { moments } = readRange(ask({ last: "7d" }), midnight, "UTC");
  expect(spanOfMoments(moments).to).toBe(midnight);
  expect(lengths(moments)).toEqual([24, 24, 24, 24, 24, 24]);
});

test("an hour that comes twice in autumn says which of the two it is", () => {
  const moments = ["2026-10-25T00:00Z", "2026-10-25T01:00Z", "2026-10-25T02:00Z", "2026-10-25T03:00Z"];
  const [from = "", , , to = ""] = moments;
  const range = readRange(
    ask({ from: String(Date.parse(from)), to: String(Date.parse(to)) }),
    NOW,
    "Europe/Berlin",
  );
  expect([0, 1, 2].map((step) => labelOf(range, step))).toEqual([
    "Sun 25 Oct, 02:00 CEST",
    "Sun 25 Oct, 02:00 CET",
    "Sun 25 Oct, 03:00",
  ]);
});

test("steps are named by what they are: an hour, a day, a week", () => {
  const hours = between("2026-03-02T22:00:00Z", "2026-03-03T02:00:00Z");
  expect([0, 2].map((step) => labelOf(hours, step))).toEqual(["Mon 2 Mar, 22:00", "Tue 3 Mar, 00:00"]);
  expect([0, 1, 2].map((step) => shortLabelOf(hours, step))).toEqual(["22:00", "23:00", "3 Mar"]);
  const days = between("2026-03-02T00:00:00Z", "2026-03-12T00:00:00Z");
  expect([labelOf(days, 1), shortLabelOf(days, 1)]).toEqual(["Tue 3 Mar", "3 Mar"]);
  const weeks = between("2026-01-05T00:00:00Z", "2026-03-24T00:00:00Z");
  expect([0, 11].map((step) => labelOf(weeks, step))).toEqual(["5 Jan to 11 Jan", "23 Mar to 23 Mar"]);
  expect(shortLabelOf(weeks, 1)).toBe("12 Jan");
  // The same again: a label is kept.
  expect(labelOf(weeks, 0)).toBe("5 Jan to 11 Jan");
});

test("a span is described by its days, and by hours where it has them", () => {
  const [from, to] = [Date.parse("2026-03-01T23:00:00Z"), Date.parse("2026-03-03T08:15:00Z")];
  expect(describeSpan({ from, to }, "Europe/Berlin")).toBe("Mon 2 Mar 2026 to Tue 3 Mar 2026, 09:15");
  expect(describeMoment(from, "UTC")).toBe("Sun 1 Mar 2026, 23:00");
});

test("what is left of a range from a moment has the steps behind it, and as many of the time before", () => {
  const range = between("2026-03-02T00:00:00Z", "2026-03-09T00:00:00Z");
  const from = Date.parse("2026-03-04T00:00:00Z");
  const left = rangeSince(range, from);
  expect(left.moments).toEqual(range.moments.slice(2));
  expect(left.before).toEqual(range.before.slice(2));
  expect(rangeSince(range, from + HOUR).moments).toEqual([from + HOUR, ...range.moments.slice(3)]);
});
