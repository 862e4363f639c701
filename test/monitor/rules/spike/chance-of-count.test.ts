import fc from "fast-check";
import { expect, it } from "vitest";
import {
  lnChanceOfCount,
  lnNegativeBinomialTail,
} from "../../../../src/monitor/rules/spike/negative-binomial.ts";
import { runs } from "../../../runs.ts";

const means = fc.double({ min: 0.002, max: 1e5, noNaN: true });
const clusters = fc.double({ min: 1, max: 50, noNaN: true });
const wanders = fc.double({ min: 1e-6, max: 50, noNaN: true });
const aboves = fc.double({ min: 0, max: 50, noNaN: true });

it("a chance is a number, at most 1, and never larger for more mentions", () => {
  fc.assert(
    fc.property(
      means,
      clusters,
      wanders,
      aboves,
      fc.integer({ min: 1, max: 1_000 }),
      (mean, c, w, above, more) => {
        const count = Math.floor(mean * (1 + above)) + 1;
        const here = lnChanceOfCount(count, mean, c, w);
        const there = lnChanceOfCount(count + more, mean, c, w);
        expect(Number.isFinite(there)).toBe(true);
        expect(here).toBeLessThanOrEqual(1e-9);
        expect(there).toBeLessThanOrEqual(here + 1e-6 * Math.max(1, Math.abs(here)));
      },
    ),
    { numRuns: runs(500) },
  );
});

it("up to one in a thousand it is the negative binomial, beyond it is never smaller", () => {
  for (const mean of [0.1, 1, 10, 100, 1_000]) {
    for (let count = Math.ceil(mean) + 1; count < 8 * mean + 20; count += Math.ceil(mean / 10)) {
      const plain = lnNegativeBinomialTail(count, mean, 1.3 * mean + 0.09 * mean ** 2);
      const computed = lnChanceOfCount(count, mean, 1.3, 0.09);
      if (plain >= Math.log(1e-3)) expect(computed).toBe(plain);
      else expect(computed).toBeGreaterThanOrEqual(plain);
      expect(computed <= Math.log(1e-3)).toBe(plain <= Math.log(1e-3));
    }
  }
});

it("a busy query whose rate wanders log-normally by 0.3 gets the chance that it has", () => {
  // ln of the rate is normal with deviation 0.3; three times its mean lies 3.81 deviations out: a chance of 6.9e-5.
  const wander = Math.exp(0.09) - 1;
  const chance = Math.exp(lnChanceOfCount(30_000, 10_000, 1, wander));
  expect(chance).toBeGreaterThan(6.5e-5);
  expect(chance).toBeLessThan(7.5e-5);
  expect(Math.exp(lnNegativeBinomialTail(30_000, 10_000, 10_000 + wander * 1e8))).toBeLessThan(1e-5);
});
