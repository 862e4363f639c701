import { lnNegativeBinomialTail } from "./negative-binomial-tail.ts";

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

const HALF_LN_TWO_PI = 0.9189385332046727;
