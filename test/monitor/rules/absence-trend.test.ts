import { describe, expect, it } from "vitest";
import { DAY } from "../../../src/lib/instant.ts";
import type { JsonValue } from "../../../src/lib/json.ts";
import {
  lnNegativeBinomialLow,
  lnNegativeBinomialTail,
} from "../../../src/monitor/rules/spike/negative-binomial.ts";
import type { WindowCondition, WindowVerdict } from "../../../src/monitor/rules/window-condition.ts";
import { aRule, aWindowRule } from "./a-rule.ts";

const BUCKET = 300_000;
const START = Date.UTC(2024, 0, 1);
const DAY_BUCKETS = DAY / BUCKET;

function run(window: WindowCondition, counts: readonly number[], start = START) {
  let state = window.initial();
  return counts.map((count, t): WindowVerdict => {
    const bucket = start + t * BUCKET;
    const arrivals = [count === 0 ? [] : [{ bucket, count }]];
    const step = window.step(state, { bucket, bucketMs: BUCKET, arrivals });
    state = step.state;
    return step.verdict;
  });
}

/** Ten an hour at night, sixty by day. */
const rhythm = (days: number) =>
  Array.from({ length: days * DAY_BUCKETS }, (_, t) => {
    const hour = Math.floor((t % DAY_BUCKETS) / 12);
    return hour < 8 ? (t % 6 === 0 ? 1 : 0) : 4 + (t % 3);
  });

describe("absence", () => {
  const { window } = aWindowRule("absence: { within: 2h }");

  it("fires when a query goes quiet at an hour at which it is usually busy", () => {
    const known = rhythm(10);
    // Ten in the morning of the eleventh day.
    const morning = rhythm(1).slice(0, 120);
    const verdicts = run(window, [...known, ...morning, ...Array.from({ length: 36 }, () => 0)]);
    const first = verdicts.findIndex(({ met }) => met);
    expect(first).toBeGreaterThan(known.length + 120 + 12);
    expect(verdicts[first]?.because).toMatch(
      /^\d+ mentions in 2 h, \d+ expected\. Chance alone brings so few .*\. Either people fell silent, or the query or its source no longer finds them\.$/,
    );
  });

  it("cannot go on from what later code has learned", () => {
    const arrivals = [[{ bucket: START, count: 3 }]];
    const { state } = window.step(window.initial(), { bucket: START, bucketMs: BUCKET, arrivals });
    const later = { ...(state as { slots: JsonValue }), learned: "/wAA" };
    expect([window.initial(), state, later].map((one) => window.canRead?.(one))).toEqual([true, true, false]);
  });

  it("knows the night", () => {
    expect(run(window, rhythm(12)).some(({ met }) => met)).toBe(false);
  });

  it("knows when an office closes and opens, its first weekend, and the Sunday on which clocks are put back", () => {
    // 200 an hour from eight to six on working days, and next to nothing else, from a Thursday on.
    const officeHours = Array.from({ length: 32 * DAY_BUCKETS }, (_, t) => {
      const moved = t < 17 * DAY_BUCKETS ? 0 : 12;
      const day = Math.floor((t - moved) / DAY_BUCKETS);
      const hour = Math.floor(((t - moved) % DAY_BUCKETS) / 12);
      const isOpen = hour >= 8 && hour < 18 && ![2, 3].includes(day % 7);
      return isOpen ? 15 + (t % 4) : t % 97 === 0 ? 1 : 0;
    });
    const thursday = START + 3 * DAY;
    expect(run(window, officeHours, thursday).filter(({ met }) => met)).toEqual([]);
    // The last of these days is a Sunday.
    const silentMonday = [...officeHours, ...Array.from({ length: DAY_BUCKETS }, () => 0)];
    const first = run(window, silentMonday, thursday).findIndex(({ met }) => met);
    const hours = (first - officeHours.length) / 12;
    expect(hours).toBeGreaterThan(8);
    expect(hours).toBeLessThan(13);
  });

  it("does not fire until it knows two days, or for a query that is hardly ever busy", () => {
    const early = [...rhythm(1), ...Array.from({ length: 60 }, () => 0)];
    expect(run(window, early).some(({ met }) => met)).toBe(false);
    const sparse = Array.from({ length: 10 * DAY_BUCKETS }, (_, t) => (t % 100 === 0 ? 1 : 0));
    expect(run(window, [...sparse, ...Array.from({ length: 300 }, () => 0)]).some(({ met }) => met)).toBe(
      false,
    );
  });

  it("the lower tail and the upper one are together the whole", () => {
    for (const [mean, variance] of [
      [20, 30],
      [100, 900],
      [7, 7],
    ] as const) {
      const low = Math.exp(lnNegativeBinomialLow(Math.floor(mean) - 1, mean, variance));
      const high = Math.exp(lnNegativeBinomialTail(Math.floor(mean), mean, variance));
      // The upper one wants a count above the mean, where this is the nearest to it.
      expect(low + high).toBeCloseTo(1, 4);
    }
  });
});

describe("trend", () => {
  const daily = (counts: readonly number[]) =>
    counts.flatMap((count) => Array.from({ length: DAY_BUCKETS }, (_, t) => (t < 100 ? count / 100 : 0)));
  const week = [300, 400, 400, 400, 500, 200, 200];
  const weeks = [...week, ...week, ...week, ...week];

  it("fires when some days in a row are above their weekdays, once the newest of them is complete", () => {
    const { window } = aWindowRule("trend: { rising: 30%, over: 3d }");
    const verdicts = run(window, daily([...weeks, 480, 640, 640, 400, 400]));
    const met = verdicts.flatMap((verdict, t) => (verdict.met ? [t] : []));
    expect(met[0]).toBe((weeks.length + 3) * DAY_BUCKETS + 35);
    expect(verdicts[met[0] ?? 0]?.because).toMatch(
      /^587 mentions a day over the last 3 days, 367 on the same weekdays before \(\+60%\)\. Each of the days was above\. Chance alone/,
    );
    expect(met.at(-1)).toBe((weeks.length + 4) * DAY_BUCKETS + 34);
  });

  it("a single loud day is no trend, nor are weekends", () => {
    const { window } = aWindowRule("trend: { rising: 30%, over: 3d }");
    expect(run(window, daily([...weeks, 300, 3_000, 400, 400, 500, 200, 200])).some(({ met }) => met)).toBe(
      false,
    );
  });

  it("its days are those of the calendar in its time zone, also where the clocks change", () => {
    const { window } = aWindowRule("trend: { rising: 30%, over: 3d, timezone: Europe/Berlin }");
    // Two weeks before the night to the 31st of March 2024, which has 23 hours.
    const from = Date.UTC(2024, 2, 4, 23);
    const days = [...week.slice(1), 300, ...week.slice(1), 300, ...week.slice(1), 300, 640, 640, 800, 320];
    let state = window.initial();
    const met: string[] = [];
    for (let bucket = from; bucket < Date.UTC(2024, 3, 1); bucket += BUCKET) {
      const day = Math.floor((bucket + 3_600_000 - Date.UTC(2024, 2, 5)) / DAY);
      const isHour = (bucket - from) % 3_600_000 === 0;
      const arrivals = [isHour ? [{ bucket, count: Math.round((days[day] ?? 0) / 24) }] : []];
      const step = window.step(state, { bucket, bucketMs: BUCKET, arrivals, timezone: "America/New_York" });
      state = step.state;
      if (step.verdict.met) {
        met.push(
          new Date(step.verdict.windowFrom).toISOString(),
          new Date(step.verdict.windowTo).toISOString(),
        );
      }
    }
    expect(met.slice(0, 2)).toEqual(["2024-03-25T23:00:00.000Z", "2024-03-28T23:00:00.000Z"]);
    expect(met.slice(-1)[0]).toMatch(/T2[23]:00:00/);
  });

  it("falls, too", () => {
    const { window } = aWindowRule("trend: { falling: 40%, over: 3d }");
    const verdicts = run(window, daily([...weeks, 100, 150, 150, 400]));
    expect(
      verdicts.some(({ met, because }) => met && /−\d+%\)\. Each of the days was below/.test(because)),
    ).toBe(true);
  });
});

describe("new", () => {
  it("reads hashtags, domains and authors, and takes spelling for no difference", () => {
    const rule = aRule("new: { what: hashtag, atLeast: 5 }");
    if (rule.kind !== "new") throw new Error("the rule looks for nothing new");
    expect(rule.labels).toBeTypeOf("function");
    expect(rule.overAfterMs).toBe(6 * 3_600_000);
    expect(rule.novelty.because(5, 600_000, 5.5 * DAY)).toBe(
      "a hashtag never seen here before: 5 authors in 10 min. None in the 5 days before.",
    );
  });
});
