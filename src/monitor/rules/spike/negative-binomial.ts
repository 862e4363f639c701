import { HALF_LN_TWO_PI, lnGamma } from "../../../lib/distributions.ts";

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

/**
 * Natural logarithm of P(N <= count), where N is negative-binomial with the given mean and variance: how rare such a
 * low count is. Needs 0 <= count < mean; variances at or below the mean give the Poisson limit.
 */
export function lnNegativeBinomialLow(count: number, mean: number, variance: number): number {
  const relative = Math.max(Math.max(variance - mean, 1e-9) / (mean * mean), 1e-7);
  const r = 1 / relative;
  const success = mean / (mean + r);
  const lnAtCount =
    lnGamma(count + r) -
    lnGamma(r) -
    lnGamma(count + 1) +
    count * Math.log(success) +
    r * Math.log1p(-success);
  // Below the mean each term is smaller than the one above it.
  let term = 1;
  let sum = 1;
  for (let k = count; k > 0; k--) {
    term *= k / ((k - 1 + r) * success);
    sum += term;
    if (term < 1e-12 * sum) break;
  }
  return Math.min(0, lnAtCount + Math.log(sum));
}

/**
 * Natural logarithm of the chance of at least `count` mentions if `mean` are expected. Bunches add `cluster` to the
 * variance per expected mention; the rate itself has the relative variance `wander`.
 *
 * The negative binomial assumes a rate with a gamma distribution. Rates of real queries are nearer to a log-normal one,
 * whose tail is heavier: with 1,000 mentions an hour, a chance of 1e-5 came true seven times as often. So below one in
 * a thousand this returns the larger of the two chances; above, both agree.
 */
export function lnChanceOfCount(count: number, mean: number, cluster: number, wander: number): number {
  const lnChance = lnNegativeBinomialTail(count, mean, cluster * mean + wander * mean * mean);
  if (lnChance >= LN_COMMON) return lnChance;
  return Math.max(lnChance, Math.min(LN_COMMON, lnLogNormalTail(count, mean, cluster, wander)));
}

const LN_COMMON = Math.log(1e-3);

/** The logarithm of the rate is normal; the logarithm of its count also varies by counting, about cluster / count. */
function lnLogNormalTail(count: number, mean: number, cluster: number, wander: number): number {
  const spread = Math.log1p(wander);
  const deviation = Math.log((count - 0.5) / mean) + spread / 2;
  return lnNormalTail(deviation / Math.sqrt(spread + cluster / count));
}

/** ln P(Z >= z) of a standard normal Z by Laplace's continued fraction. Below 3 it is common, and not needed exactly. */
function lnNormalTail(z: number): number {
  if (z < 3) return LN_COMMON;
  let fraction = z;
  for (let k = 30; k > 0; k--) fraction = z + k / fraction;
  return -0.5 * z * z - HALF_LN_TWO_PI - Math.log(fraction);
}
