import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/lib/json.ts";
import type { WindowCondition, WindowVerdict } from "../../../src/monitor/rules/window-condition.ts";
import { aMention } from "./a-mention.ts";
import { aWindowRule } from "./a-rule.ts";

const BUCKET = 300_000;
const START = Date.UTC(2024, 0, 1);

function run(
  window: WindowCondition,
  ticks: readonly (readonly number[])[],
  from: JsonValue = window.initial(),
  late?: { readonly at: number; readonly into: number; readonly count: number },
) {
  let state = from;
  const verdicts = ticks.map((counts, t): WindowVerdict => {
    const bucket = START + t * BUCKET;
    const arrivals = window.series.map((_, i) => {
      const count = counts[i] ?? 0;
      const here = count === 0 ? [] : [{ bucket, count }];
      return late?.at === t ? [...here, { bucket: START + late.into * BUCKET, count: late.count }] : here;
    });
    const step = window.step(state, { bucket, bucketMs: BUCKET, arrivals });
    state = step.state;
    return step.verdict;
  });
  return { state, verdicts };
}

const ordinary = Array.from({ length: 3 * 288 }, (_, t) => [2 + (t % 3)]);
const wave = (height: number) => Array.from({ length: 6 }, () => [height]);
const calm = (buckets: number) => ordinary.slice(0, buckets);

const reasons = (verdicts: readonly WindowVerdict[]) =>
  verdicts.flatMap(({ renotify }) => (renotify === undefined ? [] : [renotify]));

describe("the life of a spike", () => {
  const { window } = aWindowRule("spike: { atLeast: 20 }");

  it("that doubles is sent again, as doubled, with its strongest moment", () => {
    const { verdicts } = run(window, [...ordinary, [25], [25], [120], [200], ...calm(20)]);
    expect(reasons(verdicts).length).toBeGreaterThan(0);
    expect(new Set(reasons(verdicts))).toEqual(new Set(["Doubled"]));
    const doubled = verdicts.find(({ renotify }) => renotify === "Doubled");
    expect(doubled?.restates).toBe(true);
    expect(doubled?.observed).toBeGreaterThanOrEqual(120);
  });

  it("a second, larger wave inside the cooldown is sent, and the text describes that wave", () => {
    const ticks = [...ordinary, ...wave(40), ...calm(8), ...wave(400), ...calm(20)];
    const { verdicts } = run(window, ticks);
    expect(reasons(verdicts)).toContain("NewWave");
    const sent = verdicts.find(({ renotify }) => renotify === "NewWave");
    expect(sent?.observed).toBeGreaterThanOrEqual(400);
  });

  it("has one peak: the window with most mentions, with those that arrived late", () => {
    const ticks = [...ordinary, [45], [60], [54], ...Array.from({ length: 14 }, () => [12])];
    const { verdicts } = run(window, ticks);
    const width = (verdicts.at(-1)?.peak?.windowMs ?? 0) / BUCKET;
    const counts = ticks.map(([count = 0]) => count);
    const most = Math.max(...counts.map((_, i) => counts.slice(i, i + width).reduce((a, b) => a + b, 0)));
    expect(verdicts.at(-1)?.met).toBe(true);
    expect(verdicts.at(-1)?.peak?.count).toBe(most);
    expect(verdicts.at(-1)?.because).toMatch(new RegExp(`^${most} mentions in \\d+ min at the peak, `));
    expect(verdicts.at(-1)?.values["count"]).toBe(most);
    const late = run(window, ticks, undefined, { at: ticks.length - 2, into: ordinary.length + 1, count: 7 });
    expect(late.verdicts.at(-1)?.peak?.count).toBe(most + 7);
  });

  it("is not sent again as grown while fewer come than when it was last sent", () => {
    const falling = [26, 55, 84, 114, 108, 102, 97, 92, 88, 83, 79, 75, 71, 68, 64, 61, 58, 55];
    const { verdicts } = run(window, [...ordinary, ...falling.map((count) => [count])]);
    let notified = 0;
    for (const { met, renotify, present } of verdicts) {
      if (renotify === "Doubled") expect(present?.count).toBeGreaterThan(notified);
      if (renotify !== undefined || (met && notified === 0)) notified = present?.count ?? 0;
    }
  });

  it("a wave after the cooldown is described by itself, not by the first one", () => {
    const long = [...wave(300), ...Array.from({ length: 30 }, () => [60]), ...calm(7), ...wave(120)];
    const { verdicts } = run(window, [...ordinary, ...long]);
    const sent = verdicts.filter(({ renotify }) => renotify === "NewWave").at(-1);
    if (sent !== undefined) expect(sent.windowTo).toBeGreaterThan(START + (ordinary.length + 40) * BUCKET);
  });

  it("that only goes on is not sent again by itself", () => {
    const { verdicts } = run(window, [...ordinary, ...Array.from({ length: 60 }, () => [60])]);
    expect(reasons(verdicts).filter((reason) => reason === "NewWave")).toEqual([]);
  });
});

describe("an edited spike rule", () => {
  const loose = aWindowRule("spike: { atLeast: 20 }").window;
  const strict = aWindowRule("spike: { atLeast: 30, sensitivity: strict, cooldown: 6h }").window;

  it("learns the same, under another key", () => {
    expect(strict.key).not.toBe(loose.key);
    expect(strict.baseline).toBe(loose.baseline);
    expect(aWindowRule("when: { tag: a }\nspike: { atLeast: 20 }").window.baseline).not.toBe(loose.baseline);
  });

  it("gives another rule what was learned, and nothing that was notified", () => {
    const { state } = run(loose, [...ordinary, ...wave(100)]);
    const inherited = loose.inherit(state);
    const next = { bucket: START + (ordinary.length + 6) * BUCKET, bucketMs: BUCKET, arrivals: [[]] };
    expect(loose.step(state, next).verdict.met).toBe(true);
    // The count is still unusual, so the other rule fires by itself, and describes the spike from the beginning.
    const { verdict } = loose.step(inherited, next);
    expect(verdict.renotify).toBeUndefined();
    expect(run(loose, [[3]], loose.initial()).verdicts[0]?.values["expected"]).not.toBeCloseTo(
      verdict.values["expected"] ?? 0,
      1,
    );
  });

  it("sleeps while its series is silent and nothing is open", () => {
    const silent = Array.from({ length: 70 }, () => [0]);
    expect(loose.isAsleep(loose.initial())).toBe(false);
    expect(loose.isAsleep(run(loose, [...ordinary, ...silent]).state)).toBe(true);
    expect(loose.isAsleep(run(loose, [...ordinary, ...silent, [1]]).state)).toBe(false);
    expect(loose.isAsleep(run(loose, [...ordinary, ...wave(100)]).state)).toBe(false);
  });
});

describe("what a spike counts", () => {
  it("may be authors or stories, each in its own series", () => {
    const keys = ["mentions", "authors", "stories"].map(
      (count) => aWindowRule(`spike: { atLeast: 5, count: ${count} }`).window.series[0],
    );
    expect(new Set(keys.map((series) => series?.key)).size).toBe(3);
    const [, authors, stories] = keys;
    const [one, other] = ["@Ann", "bo"].map((author) =>
      aMention({ author, text: "the very same words as everybody" }),
    );
    if (one === undefined || other === undefined) throw new Error("two mentions");
    expect(authors?.author?.(one)).not.toBe(authors?.author?.(other));
    expect(stories?.author?.(one)).toBe(stories?.author?.(other));
  });

  it("says authors where it counts authors", () => {
    const { window } = aWindowRule("when: { sentiment: negative }\nspike: { atLeast: 5, count: authors }");
    const { verdicts } = run(window, [...ordinary, ...wave(60)]);
    expect(verdicts.at(-1)?.because).toMatch(/^\d+ authors of negative mentions in /);
  });

  it("does not fire with too few distinct authors", () => {
    const { window } = aWindowRule("spike: { atLeast: 20, authors: 10 }");
    const oneBot = Array.from({ length: 6 }, () => [80, 1]);
    const crowd = Array.from({ length: 6 }, () => [80, 40]);
    expect(run(window, [...ordinary, ...oneBot]).verdicts.some(({ met }) => met)).toBe(false);
    expect(run(window, [...ordinary, ...crowd]).verdicts.some(({ met }) => met)).toBe(true);
  });

  it("for a sparse query it requires the distinct authors in its window of five hours", () => {
    const quiet = Array.from({ length: 10 * 288 }, (_, t) => (t % 144 === 0 ? [1, 1] : [0, 0]));
    const slow = Array.from({ length: 60 }, (_, t) => (t % 5 === 0 ? [1, 1] : [0, 0]));
    const met = (authors: number) => {
      const { window } = aWindowRule(`spike: { atLeast: 4, authors: ${authors} }`);
      return run(window, [...quiet, ...slow]).verdicts.some((verdict) => verdict.met);
    };
    expect(met(8)).toBe(true);
    expect(met(20)).toBe(false);
  });

  it("may look at some windows only", () => {
    const { window } = aWindowRule("spike: { atLeast: 20, windows: [1h, 2h] }");
    const { verdicts } = run(window, [...ordinary, ...wave(100)]);
    const first = verdicts.find(({ met }) => met);
    expect([12, 24].map((buckets) => buckets * BUCKET)).toContain(
      (first?.windowTo ?? 0) - (first?.windowFrom ?? 0),
    );
  });

  it("keeps to a budget of false alarms that is said in either way", () => {
    const days = aWindowRule("spike: { atLeast: 20, oneFalseAlarmIn: 20d }").window;
    const perDay = aWindowRule("spike: { atLeast: 20, falseAlarmsPerDay: 0.05 }").window;
    const ticks = [...ordinary, ...wave(14), ...calm(10), ...wave(30)];
    const met = (window: WindowCondition) => run(window, ticks).verdicts.map((verdict) => verdict.met);
    expect(met(days)).toEqual(met(perDay));
  });
});

describe("a burst that comes again", () => {
  /** A burst every two days, the last of them at the end. */
  const bursts = (number: number) =>
    Array.from({ length: number }, () => [...calm(2 * 288 - 6), ...wave(60)]).flat();

  it("is judged the same when the buckets between were caught up with, and when another rule goes on from there", () => {
    const { window } = aWindowRule("spike: { atLeast: 20 }");
    const sparse = Array.from({ length: 10 * 288 }, (_, t) => [t % 144 === 0 ? 1 : 0]);
    const ticks = [...sparse, ...wave(40), ...Array.from({ length: 500 }, () => [0])];
    const { state } = run(window, ticks);
    let caughtUp: JsonValue = window.initial();
    for (const [t, [count = 0]] of ticks.entries()) {
      if (count === 0 && window.isAsleep(caughtUp)) continue;
      const bucket = START + t * BUCKET;
      caughtUp = window.step(caughtUp, { bucket, bucketMs: BUCKET, arrivals: [[{ bucket, count }]] }).state;
    }
    const next = { bucket: START + ticks.length * BUCKET, bucketMs: BUCKET };
    const again = (from: JsonValue) =>
      window.step(from, { ...next, arrivals: [[{ bucket: next.bucket, count: 400 }]] }).verdict.because;
    expect(again(state)).toMatch(/^400 .* expected at this hour\./);
    expect(again(caughtUp)).toBe(again(state));
    expect(again(window.inherit(state))).toBe(again(state));
  });

  it("fires less and less often, or every time if the rule says so", () => {
    const opened = (spike: string) => {
      const { verdicts } = run(aWindowRule(`spike: ${spike}`).window, [...ordinary, ...bursts(20)]);
      return verdicts.filter(({ met }, t) => met && verdicts[t - 1]?.met === false).length;
    };
    expect(opened("{ atLeast: 20 }")).toBeLessThan(opened("{ atLeast: 20, repeats: alert }"));
  });
});

describe("the hours of a spike rule", () => {
  /** Busy from nine to five by the clocks of New York, over the change of clocks on 10 March 2024. */
  const from = Date.UTC(2024, 1, 5);
  const change = Date.UTC(2024, 2, 10, 7);
  const office = Array.from({ length: 50 * 288 }, (_, t) => {
    const at = from + t * BUCKET;
    const hour = Math.floor((at - (at < change ? 5 : 4) * 3_600_000) / 3_600_000) % 24;
    return hour >= 9 && hour < 17 ? 20 + (t % 3) : t % 2;
  });
  /** The error of the expectation in the first office hour after the change. */
  const surprise = (spike: string, timezone?: (bucket: number) => string) => {
    const { window } = aWindowRule(`spike: ${spike}`);
    let state = window.initial();
    const found: number[] = [];
    for (const [t, count] of office.entries()) {
      const bucket = from + t * BUCKET;
      const zone = timezone?.(bucket);
      const step = window.step(state, {
        bucket,
        bucketMs: BUCKET,
        ...(zone !== undefined && { timezone: zone }),
        arrivals: [[{ bucket, count }]],
      });
      state = step.state;
      // Monday 11 March, 9 to 10 in New York, which is 13 to 14 UTC from then on.
      const isHour = bucket >= Date.UTC(2024, 2, 11, 13) && bucket < Date.UTC(2024, 2, 11, 14);
      if (isHour && step.verdict.windowTo - step.verdict.windowFrom === BUCKET)
        found.push(step.verdict.values["expected"] ?? 0);
    }
    return Math.max(...found);
  };

  it("are those of the query, or of the rule, and go with the clocks", () => {
    const ofUtc = surprise("{ atLeast: 20 }");
    const ofQuery = surprise("{ atLeast: 20 }", () => "America/New_York");
    const ofRule = surprise("{ atLeast: 20, timezone: America/New_York }", () => "Asia/Tokyo");
    expect(ofQuery).toBeGreaterThan(ofUtc + 4);
    expect(ofRule).toBe(ofQuery);
  });

  it("are turned where a query gets its zone later, as those that were learned in UTC do", () => {
    const turned = surprise("{ atLeast: 20 }", (bucket) =>
      bucket < Date.UTC(2024, 2, 8) ? "UTC" : "America/New_York",
    );
    expect(turned).toBeCloseTo(
      surprise("{ atLeast: 20 }", () => "America/New_York"),
      0,
    );
  });

  it("are those of UTC where the source names a zone that is none", () => {
    expect(surprise("{ atLeast: 20 }", () => "Mars/Olympus")).toBe(surprise("{ atLeast: 20 }"));
  });
});
