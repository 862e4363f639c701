import { formatNumber } from "../lib/numbers.ts";

/**
 * How often noise alone reaches the chance `exp(lnP)` at one hour of the day: `about once in 5 months`. A day acts like
 * 150 independent tests, so an hour like 6. It claims no more than a hundred years, because rarer chances were never
 * tested. `testsADay` is the number of independent tests of that chance in a day.
 */
export function formatRarity(lnP: number, testsADay = TESTS_AN_HOUR): string {
  // Round down, to claim nothing too rare; add a little first, so that 16 days do not become 15.
  const days = (Math.exp(-lnP) / testsADay) * (1 + 1e-9);
  if (!(days < 100 * YEAR)) return "less than once in 100 years";
  if (days < 2) return "about once a day";
  if (days >= 2 * YEAR) return `about once in ${formatNumber(Math.floor(days / YEAR))} years`;
  if (days >= 60) return `about once in ${Math.floor(days / 30)} months`;
  return `about once in ${Math.floor(days)} days`;
}

const TESTS_AN_HOUR = 150 / 24;
const YEAR = 365.25;
