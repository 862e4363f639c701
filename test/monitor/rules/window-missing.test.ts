import fc from "fast-check";
import { expect, test } from "vitest";
import type {
  Shortfall,
  WindowCondition,
  WindowVerdict,
} from "../../../src/monitor/rules/window-condition.ts";
import { aWindowRule } from "./a-rule.ts";

const BUCKET = 300_000;
const DAY_BUCKETS = 288;
const START = Date.UTC(2026, 0, 5);

interface Ticked {
  readonly verdict: WindowVerdict;
  readonly missing: readonly Shortfall[];
}

/** One number for each series and bucket, all punctual. */
function run(window: WindowCondition, counts: readonly (readonly number[])[]): Ticked[] {
  let state = window.initial();
  return counts.map((inBucket, t) => {
    const bucket = START + t * BUCKET;
    const tick = {
      bucket,
      bucketMs: BUCKET,
      arrivals: window.series.map((_, series) => [{ bucket, count: inBucket[series] ?? 0 }]),
    };
    const missing = window.missing(state, tick);
    const step = window.step(state, tick);
    state = step.state;
    return { verdict: step.verdict, missing };
  });
}

const steady = (days: number, each: readonly number[]): (readonly number[])[] =>
  new Array(days * DAY_BUCKETS).fill(each);

test("volume says how many are missing, of what, and in how long", () => {
  const { window } = aWindowRule("when: { sentiment: negative }\nvolume: { atLeast: 50, within: 30m }");
  expect(run(window, [[18]]).at(-1)?.missing).toEqual([
    {
      of: "count",
      has: 18,
      needs: 50,
      text: "18 negative mentions in 30 min, at least 50 needed: 32 short",
    },
  ]);
});

test("share names the floor first, then the share, in points", () => {
  const { window } = aWindowRule(
    "share: { of: { sentiment: negative }, atLeast: 40%, among: 30, within: 1h }",
  );
  const [first] = run(window, [[3, 12]]);
  expect(first?.missing.map(({ of, text }) => [of, text])).toEqual([
    ["among", "12 mentions in 1 h, a share is only taken of at least 30: 18 short"],
    ["share", "25% of 12 mentions in 1 h are negative, at least 40% needed: 15 points short"],
  ]);
});

test("spike names the gate: the floor, the authors, the rarity, the usual variation, the cooldown", () => {
  const { window } = aWindowRule("spike: { atLeast: 20, cooldown: 3h }");
  const usual = steady(15, [2]);
  const small = run(window, [...steady(15, [0.1]), [9]]).at(-1)?.missing[0];
  expect(small).toMatchObject({ of: "count", needs: 20 });
  expect(small?.text).toMatch(/mentions in 5 h, at least 20 needed: [\d.]+ short/);
  const ordinary = run(window, usual)
    .at(-1)
    ?.missing.map(({ of }) => of);
  expect(ordinary).toContain("rarity");
  // A burst fires and ends; one like it within the cooldown is held back.
  const patient = aWindowRule("spike: { atLeast: 20, cooldown: 24h, repeats: alert }").window;
  const rest = new Array<number[]>(70).fill([2]);
  const twice = run(patient, [...usual, [90], [90], ...rest, [90]]);
  const met = twice.map(({ verdict }) => verdict.met);
  expect(met.indexOf(true)).toBe(usual.length);
  expect(met.at(-1)).toBe(false);
  const held = twice.at(-1)?.missing;
  expect(held?.map(({ of }) => of)).toEqual(["cooldown"]);
  expect(held?.[0]?.text).toMatch(/waits for .* more \(cooldown, until 2026-01-2\d \d\d:\d\d UTC\)/);
  const many = aWindowRule("spike: { atLeast: 20, authors: 10 }").window;
  const one = run(many, [...steady(15, [2, 2]), [60, 3]]).at(-1)?.missing;
  expect(one?.map(({ of }) => of)).toContain("authors");
});

test("absence and trend name what was expected and what came", () => {
  const { window: absence } = aWindowRule("absence: { within: 2h, expected: 20, atMost: 10% }");
  expect(run(absence, steady(3, [0.1])).at(-1)?.missing[0]).toMatchObject({ of: "expected", needs: 20 });
  const came = run(absence, steady(3, [3])).at(-1)?.missing[0];
  expect(came?.of).toBe("count");
  expect(came?.text).toMatch(/72 mentions in 2 h, .* expected: it is only unusually quiet with at most/);
  const { window: trend } = aWindowRule("trend: { rising: 30%, over: 3d, atLeast: 20 }");
  const flat = run(trend, steady(20, [1])).at(-1)?.missing[0];
  expect(flat).toMatchObject({ of: "usual", needs: 0.3 });
  expect(flat?.text).toContain("at least +30% needed");
});

test("a window misses nothing exactly when its condition is met", () => {
  const rules = [
    "volume: { atLeast: 12, within: 15m }",
    "share: { of: { sentiment: negative }, atLeast: 40%, among: 5, within: 15m }",
  ].map((rule) => aWindowRule(rule).window);
  const counts = fc.array(fc.tuple(fc.nat(8), fc.nat(8)), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.constantFrom(...rules), counts, (window, buckets) => {
      for (const { verdict, missing } of run(
        window,
        buckets.map(([part, rest]) => (window.series.length === 1 ? [part] : [part, part + rest])),
      )) {
        expect(missing.length === 0).toBe(verdict.met);
        for (const { text } of missing) expect(text).not.toMatch(/undefined|NaN|Infinity/);
      }
    }),
  );
});

test("a spike opens in no bucket for which a gate is said to be missed, and misses one in every quiet bucket", () => {
  const { window } = aWindowRule("spike: { atLeast: 20 }");
  const bursts = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(120)), { maxLength: 6 });
  fc.assert(
    fc.property(bursts, (found) => {
      const counts = [
        ...steady(3, [2]),
        ...found.flatMap(([gap, size]) => [...new Array(gap).fill([2]), [size]]),
      ];
      let before = false;
      for (const { verdict, missing } of run(window, counts).slice(30)) {
        const opened = verdict.met && !before;
        if (opened) expect(missing).toEqual([]);
        if (!verdict.met) expect(missing.length).toBeGreaterThan(0);
        before = verdict.met;
      }
    }),
    { numRuns: 10 },
  );
});
