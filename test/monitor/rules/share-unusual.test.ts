import { describe, expect, it } from "vitest";
import { lnBetaBinomialTail } from "../../../src/lib/distributions.ts";
import type { WindowCondition, WindowVerdict } from "../../../src/monitor/rules/window-condition.ts";
import { aWindowRule } from "./a-rule.ts";

const BUCKET = 300_000;
const START = Date.UTC(2024, 0, 1);

function run(window: WindowCondition, ticks: readonly (readonly [part: number, whole: number])[]) {
  let state = window.initial();
  return ticks.map(([part, whole], t): WindowVerdict => {
    const bucket = START + t * BUCKET;
    const arrivals = [[{ bucket, count: part }], [{ bucket, count: whole }]];
    const step = window.step(state, { bucket, bucketMs: BUCKET, arrivals });
    state = step.state;
    return step.verdict;
  });
}

/** A fixed sequence between 0 and 1 with a very long period. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function days(count: number, share: (t: number) => number, mentions = 4) {
  const next = noise(7);
  return Array.from({ length: count * 288 }, (_, t): [number, number] => {
    let part = 0;
    for (let i = 0; i < mentions; i++) if (next() < share(t)) part += 1;
    return [part, mentions];
  });
}

describe("a share that is tested", () => {
  const { window } = aWindowRule(
    "share: { of: { sentiment: negative }, unusual: true, among: 30, within: 1h }",
  );

  it("is quiet while the share is the usual one, and says how rare the rise is", () => {
    const verdicts = run(window, [...days(6, () => 0.4), ...days(1, () => 0.85).slice(0, 24)]);
    const first = verdicts.findIndex(({ met }) => met);
    expect(first).toBeGreaterThanOrEqual(6 * 288);
    expect(verdicts[first]?.because).toMatch(
      /^\d+% of 48 mentions in 1 h are negative, usually (39|40|41)% \(among at least 30\)\. Chance alone (seldom|hardly ever) brings that\.$/,
    );
  });

  it("needs a larger rise if the share usually varies from hour to hour", () => {
    const swinging = days(10, (t) => (Math.floor(t / 36) % 2 === 0 ? 0.2 : 0.6));
    const steady = days(10, () => 0.4);
    const rise = days(1, () => 0.75).slice(0, 18);
    const met = (ticks: [number, number][]) =>
      run(window, ticks)
        .slice(10 * 288)
        .some((verdict) => verdict.met);
    expect(met([...steady, ...rise])).toBe(true);
    expect(met([...swinging, ...rise])).toBe(false);
  });

  it("waits for a day of history", () => {
    expect(run(window, days(1, () => 0.9).slice(0, 200)).some(({ met }) => met)).toBe(false);
  });
});

describe("the tail of the beta-binomial distribution", () => {
  it("is the binomial one where mentions do not agree, and sums to 1", () => {
    // P(K >= 8), 10 tosses of a coin: 56 of 1,024.
    expect(Math.exp(lnBetaBinomialTail(8, 10, 0.5, 0))).toBeCloseTo(56 / 1_024, 6);
    expect(Math.exp(lnBetaBinomialTail(0, 10, 0.5, 0.1))).toBe(1);
    expect(Math.exp(lnBetaBinomialTail(1, 10, 0.3, 0.2)) + pmfOfNone(10, 0.3, 0.2)).toBeCloseTo(1, 9);
  });

  it("is heavier the more mentions agree", () => {
    const tails = [0, 0.01, 0.1, 0.3].map((together) => lnBetaBinomialTail(80, 100, 0.4, together));
    expect(tails).toEqual(tails.toSorted((a, b) => a - b));
  });
});

/** P(K = 0) as a product. */
function pmfOfNone(n: number, share: number, together: number): number {
  const weight = 1 / together - 1;
  let product = 1;
  for (let i = 0; i < n; i++) product *= ((1 - share) * weight + i) / (weight + i);
  return product;
}
