const HALF_LN_TWO_PI = 0.9189385332046727;

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
