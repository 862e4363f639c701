import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lnNegativeBinomialTail } from "../../../../src/monitor/rules/spike/negative-binomial.ts";
import { runs } from "../../../runs.ts";
import { exactLnTail } from "./exact-tail.ts";

/** The tail takes no variance that is closer to the mean than this: below, it is the Poisson tail. */
function leastRelative(mean: number, relative: number): number {
  return Math.max(Math.max(relative * mean ** 2, 1e-9) / mean ** 2, 1e-7);
}

/** The Poisson tail by adding its terms, the smallest first. */
function lnPoissonTail(count: number, mean: number): number {
  let lnTerm = -mean;
  for (let n = 1; n <= count; n++) lnTerm += Math.log(mean / n);
  let sum = 0;
  let ratio = 1;
  for (let n = count; n < count + 2_000; n++) {
    sum += ratio;
    ratio *= mean / (n + 1);
  }
  return lnTerm + Math.log(sum);
}

describe("lnNegativeBinomialTail", () => {
  it("agrees with exact arithmetic over means from 0.002 to 3,000, from the body to chances of 1e-280", () => {
    let checked = 0;
    let least = 0;
    for (const mean of [0.002, 0.01, 0.07, 0.4, 1, 2.5, 9, 40, 300, 3_000]) {
      for (const relative of [1e-7, 1e-4, 0.02, 0.1, 0.5, 1, 4, 30, 500]) {
        if (mean * relative > 50) continue;
        const variance = mean + relative * mean ** 2;
        for (const deviations of [0.5, 2, 3, 5, 8, 15, 40, 100]) {
          const count = Math.floor(mean + deviations * Math.sqrt(variance)) + 1;
          if (count > 4_000) continue;
          const exact = exactLnTail(count, mean, 1 / leastRelative(mean, relative));
          const computed = lnNegativeBinomialTail(count, mean, variance);
          const error = Math.abs(computed - exact);
          expect(error, `mean ${mean}, 1/r ${relative}, count ${count}`).toBeLessThan(1e-6);
          checked++;
          least = Math.min(least, exact);
        }
      }
    }
    expect(checked).toBeGreaterThan(400);
    expect(least).toBeLessThan(-280 * Math.LN10);
  });

  it("is the Poisson tail where the variance is not above the mean", () => {
    for (const mean of [0.1, 0.7, 5, 80]) {
      for (const count of [1, 2, 5, 20, 120, 300].filter((each) => each > mean)) {
        const error = lnNegativeBinomialTail(count, mean, mean) / lnPoissonTail(count, mean) - 1;
        expect(Math.abs(error), `mean ${mean}, count ${count}`).toBeLessThan(1e-4);
      }
    }
  });

  const means = fc.double({ min: 0.002, max: 1e5, noNaN: true });
  const factors = fc.double({ min: 1, max: 500, noNaN: true });

  it("is a probability, and never more probable for more mentions", () => {
    fc.assert(
      fc.property(means, factors, fc.double({ min: 0, max: 20, noNaN: true }), (mean, factor, above) => {
        const count = Math.floor(mean * (1 + above)) + 1;
        const here = lnNegativeBinomialTail(count, mean, mean * factor);
        const more = lnNegativeBinomialTail(count + 1, mean, mean * factor);
        expect(here).toBeLessThanOrEqual(1e-9);
        expect(Number.isFinite(more)).toBe(true);
        expect(more).toBeLessThanOrEqual(here + 1e-6 * Math.max(1, Math.abs(here)));
      }),
      { numRuns: runs(500) },
    );
  });
});
