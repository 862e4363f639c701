import { lnGamma } from "../lib/distributions.ts";

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
