import { lnGamma } from "./ln-gamma.ts";

/**
 * Natural logarithm of P(K >= count) among `among` where each is one with the chance `share`, and that chance itself
 * wanders: `together` (0 to 1) is the correlation of any two, 0 the plain binomial. Needs 0 < share < 1.
 */
export function lnBetaBinomialTail(count: number, among: number, share: number, together: number): number {
  if (count <= 0) return 0;
  if (count > among) return Number.NEGATIVE_INFINITY;
  const weight = 1 / Math.max(together, 1e-9) - 1;
  const alpha = share * weight;
  const beta = (1 - share) * weight;
  const first =
    lnGamma(among + 1) -
    lnGamma(count + 1) -
    lnGamma(among - count + 1) +
    lnBeta(count + alpha, among - count + beta) -
    lnBeta(alpha, beta);
  // Computes each term from the one before it. They fall, so the sum stops when they are negligible.
  let term = 1;
  let sum = 1;
  for (let k = count; k < among; k++) {
    term *= ((among - k) / (k + 1)) * ((k + alpha) / (among - k - 1 + beta));
    sum += term;
    if (term < 1e-12 * sum && k > among * share) break;
  }
  return Math.min(0, first + Math.log(sum));
}

function lnBeta(a: number, b: number): number {
  return lnGamma(a) + lnGamma(b) - lnGamma(a + b);
}
