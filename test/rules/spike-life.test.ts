import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/lib/json.ts";
import type { WindowCondition, WindowVerdict } from "../../src/rules/window-condition.ts";
import { aMention } from "./a-mention.ts";
import { aWindowRule } from "./a-rule.ts";

const BUCKET = 300_000;
const START = Date.UTC(2024, 0, 1);

function run(
  window: WindowCondition,
  ticks: readonly (readonly number[])[],
  from: JsonValue = window.initial(),
) {
  let state = from;
  const verdicts = ticks.map((counts, t): WindowVerdict => {
    const bucket = START + t * BUCKET;
    const arrivals = window.series.map((_, i) => {
      const count = counts[i] ?? 0;
      return count === 0 ? [] : [{ bucket, count }];
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
  verdicts.flatMap(({ retell }) => (retell === undefined ? [] : [retell]));

describe("the life of a spike", () => {
  const { window } = aWindowRule("spike: { atLeast: 20 }");

  it("that doubles is told again, by that name, and says its strongest moment", () => {
    const { verdicts } = run(window, [...ordinary, [25], [25], [120], [200], ...calm(20)]);
    expect(reasons(verdicts).length).toBeGreaterThan(0);
    expect(new Set(reasons(verdicts))).toEqual(new Set(["Doubled"]));
    const doubled = verdicts.find(({ retell }) => retell === "Doubled");
    expect(doubled?.restates).toBe(true);
    expect(doubled?.observed).toBeGreaterThanOrEqual(120);
  });

  it("a second, larger wave inside the cooldown is told, and what is said is that wave", () => {
    const ticks = [...ordinary, ...wave(40), ...calm(8), ...wave(400), ...calm(20)];
    const { verdicts } = run(window, ticks);
    expect(reasons(verdicts)).toContain("NewWave");
    const told = verdicts.find(({ retell }) => retell === "NewWave");
    expect(told?.observed).toBeGreaterThanOrEqual(400);
  });

  it("a wave after the cooldown is told as it is, not as the first one was", () => {
    const long = [...wave(300), ...Array.from({ length: 30 }, () => [60]), ...calm(7), ...wave(120)];
    const { verdicts } = run(window, [...ordinary, ...long]);
    const told = verdicts.filter(({ retell }) => retell === "NewWave").at(-1);
    if (told !== undefined) expect(told.windowTo).toBeGreaterThan(START + (ordinary.length + 40) * BUCKET);
  });

  it("that only goes on is not told again by itself", () => {
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

  it("gives another rule what was learned, and nothing that was told", () => {
    const { state } = run(loose, [...ordinary, ...wave(100)]);
    const inherited = loose.inherit(state);
    const next = { bucket: START + (ordinary.length + 6) * BUCKET, bucketMs: BUCKET, arrivals: [[]] };
    expect(loose.step(state, next).verdict.met).toBe(true);
    // As much still stands out, so the other rule pages on its own account, and tells of it from the beginning.
    const { verdict } = loose.step(inherited, next);
    expect(verdict.retell).toBeUndefined();
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
  it("may be authors or stories, each in a series of its own", () => {
    const keys = ["mentions", "authors", "stories"].map(
      (count) => aWindowRule(`spike: { atLeast: 5, count: ${count} }`).window.series[0],
    );
    expect(new Set(keys.map((series) => series?.key)).size).toBe(3);
    const [, authors, stories] = keys;
    const [one, other] = ["@Ann", "bo"].map((author) =>
      aMention({ author, text: "the very same words as everybody" }),
    );
    if (one === undefined || other === undefined) throw new Error("two mentions");
    expect(authors?.voice?.(one)).not.toBe(authors?.voice?.(other));
    expect(stories?.voice?.(one)).toBe(stories?.voice?.(other));
  });

  it("says authors where it counts authors", () => {
    const { window } = aWindowRule("when: { sentiment: negative }\nspike: { atLeast: 5, count: authors }");
    const { verdicts } = run(window, [...ordinary, ...wave(60)]);
    expect(verdicts.at(-1)?.because).toMatch(/^\d+ authors of negative mentions in /);
  });

  it("does not fire while too few people speak", () => {
    const { window } = aWindowRule("spike: { atLeast: 20, authors: 10 }");
    const oneBot = Array.from({ length: 6 }, () => [80, 1]);
    const crowd = Array.from({ length: 6 }, () => [80, 40]);
    expect(run(window, [...ordinary, ...oneBot]).verdicts.some(({ met }) => met)).toBe(false);
    expect(run(window, [...ordinary, ...crowd]).verdicts.some(({ met }) => met)).toBe(true);
  });

  it("asks for the people of the five hours that it looks at where few speak", () => {
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
