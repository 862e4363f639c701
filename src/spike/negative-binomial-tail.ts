import { lnGamma } from "../lib/distributions.ts";

/**
 * Natural logarithm of P(N >= count) where N is negative-binomial with the given mean and variance (variances at or
 * below the mean give the Poisson limit). Needs count >= 1 and count > mean, mean > 0. Logarithms, because the
 * probabilities of real bursts lie far below the smallest double.
 */
export function lnNegativeBinomialTail(count: number, mean: number, variance: number): number {
  const relative = Math.max(Math.max(variance - mean, 1e-9) / (mean * mean), 1e-7);
  const r = 1 / relative;
  const success = mean / (mean + r);
  // The tail is the regularised incomplete beta function I_success(count, r).
  const lnFront =
    lnGamma(count + r) - lnGamma(count) - lnGamma(r) + count * Math.log(success) + r * Math.log1p(-success);
  if (success < (count + 1) / (count + r + 2)) {
    return lnFront + Math.log(betaFraction(count, r, success)) - Math.log(count);
  }
  // Here the probability is large, so that the subtraction loses nothing.
  const below = (Math.exp(lnFront) * betaFraction(r, count, 1 - success)) / r;
  return Math.log(Math.max(1 - below, 1e-300));
}

/** The continued fraction of the incomplete beta function, by Lentz's method: 10 to 100 rounds. */
function betaFraction(a: number, b: number, x: number): number {
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let c = 1;
  let h = d;
  for (let j = 1; j < 10_000; j++) {
    const even = (j * (b - j) * x) / ((a - 1 + 2 * j) * (a + 2 * j));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    h *= d * c;
    const odd = (-(a + j) * (a + b + j) * x) / ((a + 2 * j) * (a + 1 + 2 * j));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    const factor = d * c;
    h *= factor;
    if (Math.abs(factor - 1) < 1e-10) break;
  }
  return h;
}

function awayFromZero(x: number): number {
  return Math.abs(x) < 1e-300 ? 1e-300 : x;
}
