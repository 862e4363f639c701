/**
 * From -100 (all that judge are negative) to 100 (all are positive), to two decimals: positive less negative, as a
 * share of both. Neutral mentions do not dilute it; without any judgement it is 0.
 */
export function netSentiment(positive: number, negative: number): number {
  const judging = positive + negative;
  return judging === 0 ? 0 : Math.round(((positive - negative) / judging) * 10_000) / 100;
}
