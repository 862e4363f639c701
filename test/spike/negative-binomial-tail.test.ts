import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lnNegativeBinomialTail } from "../../src/spike/negative-binomial-tail.ts";

/** ln of a ratio of whole numbers of any size. */
function lnRatio(numerator: bigint, denominator: bigint): number {
  return lnBig(numerator) - lnBig(denominator);
}

function lnBig(value: bigint): number {
  const digits = value.toString();
  return Math.log(Number(`0.${digits.slice(0, 17)}`)) + digits.length * Math.LN10;
}

/**
 * P(N >= count) exactly, for whole mean and whole r (variance = mean + mean²/r): the terms of the distribution are
 * ratios of whole numbers, C(n+r-1, n) mean^n r^r / (mean+r)^(n+r).
 */
function exactLnTail(count: number, mean: number, r: number): number {
  const [m, size, all] = [BigInt(mean), BigInt(r), BigInt(mean + r)];
  let below = 0n;
  let ways = 1n;
  for (let n = 0; n < count; n++) {
    below += ways * m ** BigInt(n) * size ** size * all ** BigInt(count - 1 - n);
    ways = (ways * BigInt(n + r)) / BigInt(n + 1);
  }
  const whole = all ** BigInt(count - 1 + r);
  return lnRatio(whole - below, whole);
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
  it("agrees with exact arithmetic from the body of the distribution to its far tail", () => {
    for (const mean of [1, 2, 7, 40]) {
      for (const r of [1, 3, 10, 60]) {
        for (const times of [1.1, 1.5, 2, 3, 6, 12]) {
          const count = Math.ceil(mean * times) + 1;
          const told = lnNegativeBinomialTail(count, mean, mean + mean ** 2 / r);
          expect(told, `mean ${mean}, r ${r}, count ${count}`).toBeCloseTo(exactLnTail(count, mean, r), 6);
        }
      }
    }
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
      { numRuns: 500 },
    );
  });
});
