import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../src/lib/json.ts";
import type {
  BucketCount,
  WindowCondition,
  WindowVerdict,
} from "../../../src/monitor/rules/window-condition.ts";
import { runs } from "../../runs.ts";
import { aMention } from "./a-mention.ts";
import { aWindowRule } from "./a-rule.ts";

const BUCKET = 300_000;
const START = Date.UTC(2024, 0, 1);

/** Arrivals of one bucket and series: a count, or pairs of age in buckets and count. */
type Arrivals = number | readonly (readonly [age: number, count: number])[];

function run(
  window: WindowCondition,
  ticks: readonly (readonly Arrivals[])[],
  stored = (state: JsonValue) => state,
) {
  let state = window.initial();
  return ticks.map((lists, t): WindowVerdict => {
    const bucket = START + t * BUCKET;
    const arrivals = lists.map((list): BucketCount[] =>
      (typeof list === "number" ? [[0, list] as const] : list).map(([age, count]) => ({
        bucket: bucket - age * BUCKET,
        count,
      })),
    );
    const step = window.step(stored(state), { bucket, bucketMs: BUCKET, arrivals });
    state = step.state;
    return step.verdict;
  });
}

describe("volume", () => {
  const { window } = aWindowRule("when: { sentiment: negative }\nvolume: { atLeast: 50, within: 15m }");

  it("is met while the window holds enough mentions", () => {
    const verdicts = run(window, [[20], [0], [29], [20], [1], [0]]);
    expect(verdicts.map(({ met }) => met)).toEqual([false, false, false, false, true, false]);
    expect(verdicts[4]).toEqual({
      met: true,
      because: "50 negative mentions in 15 min (limit 50)",
      windowFrom: START + 2 * BUCKET,
      windowTo: START + 5 * BUCKET,
      observed: 50,
      values: { count: 50, limit: 50 },
      present: { count: 50, windowMs: 3 * BUCKET, at: START + 5 * BUCKET, subject: "negative mentions" },
    });
  });

  it("counts late mentions where they belong, and not at all when that is past", () => {
    const late: Arrivals = [
      [1, 30],
      [3, 1000],
    ];
    expect(run(window, [[10], [10], [late], [0], [0]]).map(({ observed }) => observed)).toEqual([
      10, 20, 50, 40, 0,
    ]);
  });

  it("takes back what left the slice, and is never negative", () => {
    expect(run(window, [[60], [[[1, -20]]], [[[0, -9]]], [0], [5]]).map(({ observed }) => observed)).toEqual([
      60, 40, 31, 0, 0,
    ]);
  });
});

describe("share", () => {
  const { window } = aWindowRule(
    "share: { of: { sentiment: negative }, atLeast: 40%, among: 30, within: 10m }",
  );

  it("counts the part and the whole", () => {
    const [part, whole] = window.series;
    expect(part?.counts(aMention({ sentiment: "negative" }))).toBe(true);
    expect(part?.counts(aMention())).toBe(false);
    expect(whole?.counts(aMention())).toBe(true);
  });

  it("is met above the share, given enough mentions", () => {
    const verdicts = run(window, [
      [29, 29],
      [0, 0],
      [0, 0],
      [10, 25],
      [12, 30],
    ]);
    expect(verdicts.map(({ met }) => met)).toEqual([false, false, false, false, true]);
    expect(verdicts[4]?.because).toBe(
      "40% of 55 mentions in 10 min are negative (limit 40%, among at least 30)",
    );
    expect(verdicts[4]).toMatchObject({ observed: 22 });
    // The view of the alert then knows that it is about sentiment, without reading its sentence.
    expect(verdicts[4]?.values["negativeShare"]).toBe(0.4);
    const ofNegative = aWindowRule(
      "when: { sentiment: negative }\nshare: { of: { tag: x }, atLeast: 40%, among: 3, within: 1h }",
    );
    expect(run(ofNegative.window, [[4, 5]])[0]?.values["negativeShare"]).toBeUndefined();
  });

  it("above the usual waits until the usual is known, and then asks for more than it", () => {
    const rule = aWindowRule(
      "share: { of: { sentiment: negative }, atLeast: 40%, aboveUsual: 15%, among: 30, within: 10m }",
    );
    const day = Array.from({ length: 300 }, () => [12, 20]);
    const verdicts = run(rule.window, [[20, 20], [20, 20], ...day, [14, 20], [18, 20], [18, 20]]);
    expect(verdicts.findIndex(({ met }) => met)).toBe(303);
    expect(verdicts[1]?.because).toContain("usually not known yet");
    expect(verdicts[303]?.because).toBe(
      "80% of 40 mentions in 10 min are negative, usually 60% (limit 40% and 15 points above usual, among at least 30)",
    );
  });
});

describe("a surge of a share", () => {
  const { window } = aWindowRule(
    "share: { of: { sentiment: negative }, atLeast: 40%, aboveUsual: 15%, among: 30, within: 10m }",
  );
  const many = (count: number, part: number) => Array.from({ length: count }, () => [part, 20]);
  const went = (ticks: number[][]) =>
    run(window, [...many(300, 8), ...ticks])
      .slice(300)
      .map(({ met, goesOn }) => (met ? "met" : goesOn === true ? "on" : "over"));

  it("is measured by the share before it, however long it lasts, and goes on until the share is half way back", () => {
    // 40% are usual; 90% for a day and a half, then 50%, then 40%.
    const said = went([...many(432, 18), ...many(5, 10), ...many(5, 8)]);
    expect(said.slice(1, 432).every((one) => one === "met")).toBe(true);
    expect(said.slice(434)).toEqual(["on", "on", "on", "over", "over", "over", "over", "over"]);
  });

  it("is learned as usual after three days", () => {
    const said = went(many(7 * 288, 18));
    expect(said.slice(1, 3 * 288).every((one) => one === "met")).toBe(true);
    expect(said.at(-1)).toBe("over");
  });

  it("is not over because a night has too few mentions for a share", () => {
    const said = went([
      ...many(4, 18),
      ...many(2, 10),
      ...Array.from({ length: 60 }, () => [1, 2]),
      ...many(3, 11),
    ]);
    expect(said.slice(8, 66).every((one) => one === "over")).toBe(true);
    expect(said.at(-1)).toBe("met");
  });
});

describe("spike", () => {
  const rule = aWindowRule("when: { sentiment: negative }\nspike: { atLeast: 10 }");
  const ordinary = Array.from({ length: 3 * 288 }, (_, t) => [t % 3]);
  const burst = [[30], [40], [35], [20]];
  const calm = Array.from({ length: 40 }, (_, t) => [t % 3]);

  it("opens with a burst, says its strongest moment, and closes after calm", () => {
    const verdicts = run(rule.window, [...ordinary, ...burst, ...calm]);
    const first = verdicts.findIndex(({ met }) => met);
    const open = verdicts.filter(({ met }) => met).length;
    expect(first).toBe(ordinary.length);
    expect(open).toBeGreaterThan(6);
    expect(verdicts.at(-1)?.met).toBe(false);
    expect(verdicts[first + 3]?.because).toMatch(
      /^\d+ negative mentions in \d+ min, [\d.]+ expected at this hour\. Judged on 3 days of history, no weekend seen yet\.$/,
    );
    expect(verdicts[first + open - 1]?.values["scoreNow"]).toBeLessThan(2);
  });

  it("never fires below its floor", () => {
    const tall = aWindowRule("spike: { atLeast: 500 }").window;
    expect(run(tall, [...ordinary, ...burst]).some(({ met }) => met)).toBe(false);
  });

  it("gives the same verdicts whether or not its state is stored between steps", () => {
    const ticks = [...ordinary.slice(0, 300), ...burst, ...calm];
    const stored = (state: JsonValue) => JSON.parse(JSON.stringify(state)) as JsonValue;
    expect(run(rule.window, ticks, stored)).toEqual(run(rule.window, ticks));
  });

  it("leaves the state that it was given as it is", () => {
    const tick = { bucket: START, bucketMs: BUCKET, arrivals: [[{ bucket: START, count: 3 }]] };
    const { state } = rule.window.step(rule.window.initial(), tick);
    const before = JSON.stringify(state);
    const next = { ...tick, bucket: START + BUCKET };
    const once = rule.window.step(state, next);
    expect(JSON.stringify(state)).toBe(before);
    expect(rule.window.step(state, next)).toEqual(once);
  });

  it("fills missing buckets, and refuses the same bucket twice", () => {
    const at = (t: number, count: number) => ({
      bucket: START + t * BUCKET,
      bucketMs: BUCKET,
      arrivals: [[{ bucket: START + t * BUCKET, count }]],
    });
    const { state } = rule.window.step(rule.window.initial(), at(0, 3));
    const skipped = rule.window.step(state, at(3, 1));
    const whole = rule.window.step(
      rule.window.step(rule.window.step(state, at(1, 0)).state, at(2, 0)).state,
      at(3, 1),
    );
    expect(skipped).toEqual(whole);
    expect(() => rule.window.step(state, at(0, 3))).toThrow("out of order");
  });
});

describe("the state of every window condition", () => {
  const windows = [
    aWindowRule("volume: { atLeast: 3, within: 24h }").window,
    aWindowRule("share: { of: { tag: x }, atLeast: 40%, aboveUsual: 1%, among: 3, within: 24h }").window,
    aWindowRule("spike: { atLeast: 1, sensitivity: any anomaly }").window,
    aWindowRule("spike: { atLeast: 1, authors: 2, count: stories }").window,
    aWindowRule("share: { of: { tag: x }, unusual: true, among: 3, within: 1h }").window,
    aWindowRule("absence: { within: 24h, expected: 5 }").window,
    aWindowRule("trend: { falling: 10%, over: 2d }").window,
  ];

  it("stays below 2.5 kB of JSON without NaN, whatever arrives", () => {
    const arrival = fc.tuple(fc.integer({ min: -2, max: 60 }), fc.integer({ min: -20, max: 100_000 }));
    const lists = fc.tuple(fc.array(arrival, { maxLength: 3 }), fc.array(arrival, { maxLength: 3 }));
    fc.assert(
      fc.property(fc.array(lists, { minLength: 1, maxLength: 60 }), (ticks) => {
        for (const window of windows) {
          let state = window.initial();
          ticks.forEach(([first, second], t) => {
            const bucket = START + t * BUCKET;
            const place = (list: readonly [number, number][]): BucketCount[] =>
              list.map(([age, count]) => ({ bucket: bucket - age * BUCKET, count }));
            const step = window.step(state, {
              bucket,
              bucketMs: BUCKET,
              arrivals: [place(first), place(second)],
            });
            state = step.state;
            for (const value of [step.verdict.observed, ...Object.values(step.verdict.values)]) {
              expect(Number.isFinite(value)).toBe(true);
            }
            expect(step.verdict.because).not.toMatch(/NaN|undefined|Infinity/);
          });
          expect(JSON.stringify(state).length).toBeLessThan(2_500);
        }
      }),
      { numRuns: runs(60) },
    );
  });
});

describe("the key of a series", () => {
  const key = (when: string) => aWindowRule(`${when}\nspike: { atLeast: 5 }`).window.series[0]?.key;

  it("is the same for the same slice, however it is written and whatever counts it", () => {
    const share = aWindowRule(
      "share: { of: { sentiment: negative }, atLeast: 40%, among: 30, within: 1h }",
    ).window;
    expect(key("when: { sentiment: negative }")).toBe(share.series[0]?.key);
    expect(key("")).toBe(share.series[1]?.key);
    expect(key("when: { tag: [a, b], sentiment: negative }")).toBe(
      key("when: { all: [{ sentiment: negative }, { tag: [B, a] }] }"),
    );
  });

  it("differs for different slices", () => {
    const keys = [
      "",
      "when: { tag: a }",
      "when: { not: { tag: a } }",
      "when: { category: a }",
      "when: { any: [{ tag: a }, { tag: b }] }",
    ].map(key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("is part of the key of what counts it, with every limit", () => {
    const rules = [
      "spike: { atLeast: 5 }",
      "spike: { atLeast: 6 }",
      "spike: { atLeast: 5, sensitivity: strict }",
      "when: { tag: a }\nspike: { atLeast: 5 }",
    ];
    expect(new Set(rules.map((rule) => aWindowRule(rule).window.key)).size).toBe(4);
  });
});
