import { lnChanceOfCount, lnNegativeBinomialLow } from "./spike/negative-binomial.ts";

interface DayComparison {
  readonly observed: number;
  /** From the same weekdays of the weeks before. */
  readonly expected: number;
  readonly allAbove: boolean;
  readonly allBelow: boolean;
  /** Logarithm of the chance of a sum at least this far from the expectation, on the same side. */
  readonly lnP: number;
}

const WEEKS = 4;
const LEAST_WEEKS = 2;
/** The days judged, the weeks that they are compared with, and the open days. */
export const LONGEST_MEMORY_DAYS = 7 + 7 * WEEKS + 3;

/** Whole days needed for a comparison: each weekday twice, and the judged days. */
export function historyDays(span: number): number {
  return span + 7 * LEAST_WEEKS;
}

/**
 * Compares the last `span` days with the same weekdays of up to four weeks before. `days` are whole days, newest first.
 * Undefined until each weekday was seen twice.
 */
export function compareDays(days: readonly number[], span: number): DayComparison | undefined {
  const judged = Array.from({ length: span }, (_, day) => ({
    count: days[day] ?? 0,
    before: Array.from({ length: WEEKS }, (_, week) => days[day + 7 * (week + 1)]).filter(
      (count) => count !== undefined,
    ),
  }));
  const weeks = Math.min(...judged.map(({ before }) => before.length));
  if (weeks < LEAST_WEEKS) return undefined;
  const means = judged.map(({ before }) => before.reduce((sum, count) => sum + count, 0) / before.length);
  const observed = judged.reduce((sum, { count }) => sum + count, 0);
  const expected = means.reduce((sum, mean) => sum + mean, 0);
  if (expected <= 0) return undefined;
  const usualVariation = dayVariation(days.slice(span));
  // The mean of the weeks before is uncertain, too.
  const variance = usualVariation * expected * (1 + 1 / weeks);
  const cluster = Math.max(1, variance / expected);
  const lnP =
    observed > expected
      ? lnChanceOfCount(Math.round(observed), expected, cluster, 0.001)
      : observed < expected
        ? lnNegativeBinomialLow(Math.round(observed), expected, cluster * expected)
        : 0;
  return {
    observed,
    expected,
    allAbove: judged.every(({ count }, day) => count > (means[day] ?? 0)),
    allBelow: judged.every(({ count }, day) => count < (means[day] ?? 0)),
    lnP: Math.min(0, lnP),
  };
}

/** Variance of a day's count around its weekday's mean, for each mention: 1 by chance alone, much more in life. */
function dayVariation(days: readonly number[]): number {
  let squares = VARIATION_PRIOR * VARIATION_WEIGHT;
  let weight = VARIATION_WEIGHT;
  for (let weekday = 0; weekday < 7; weekday++) {
    const same = days.filter((_, day) => day % 7 === weekday);
    if (same.length < 2) continue;
    const mean = same.reduce((sum, count) => sum + count, 0) / same.length;
    for (const count of same) squares += (count - mean) ** 2 / Math.max(mean, 1);
    weight += same.length - 1;
  }
  return Math.max(1, squares / weight);
}

/** Assumed variance before anything is known: reposts in bunches, and a changing rate. */
const VARIATION_PRIOR = 3;
const VARIATION_WEIGHT = 3;
