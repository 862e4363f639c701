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

export const HALF_LN_TWO_PI = 0.9189385332046727;

/** ln Γ(x) for x > 0: Stirling's series after raising x above 8. */
export function lnGamma(x: number): number {
  let shift = 0;
  let y = x;
  if (y < 8) {
    let product = 1;
    while (y < 8) product *= y++;
    shift = Math.log(product);
  }
  const i = 1 / y;
  const s = i * i;
  const series = i * (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188))));
  return (y - 0.5) * Math.log(y) - y + HALF_LN_TWO_PI + series - shift;
}
