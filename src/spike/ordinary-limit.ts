import { lnChanceOfCount } from "./chance-of-count.ts";
import { WINDOWS } from "./constants.ts";
import { dispersionOf, rateNoise } from "./dispersion.ts";
import type { SpikeState } from "./spike-state.ts";

/**
 * The largest count that noise explains if `expected` mentions are expected: one more has a chance below `lnChance`.
 * The inverse of the significance test, drawn as a band. `width` is in buckets; it uses the variance of the longest
 * window of `WINDOWS` that is not wider. About ten times as slow as the test.
 */
export function ordinaryLimit(state: SpikeState, expected: number, width: number, lnChance: number): number {
  const { cluster, uncertainty } = dispersionOf(state);
  const wander =
    rateNoise(
      state,
      Math.max(
        0,
        WINDOWS.findLastIndex((window) => window <= width),
      ),
    ) + uncertainty;
  const isOrdinary = (count: number): boolean =>
    count <= expected || lnChanceOfCount(count, expected, cluster, wander) > lnChance;
  let ordinary = Math.floor(expected);
  let step = 1;
  while (isOrdinary(ordinary + step)) {
    ordinary += step;
    step *= 2;
  }
  // The limit is now inside the last step.
  for (let part = step / 2; part >= 1; part /= 2) if (isOrdinary(ordinary + part)) ordinary += part;
  return ordinary;
}
