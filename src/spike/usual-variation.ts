import {
  LEARN_MENTIONS,
  LONGEST_WINDOW,
  SPARSE_WINDOW,
  VARIATION_PRIOR,
  VARIATION_WEIGHT,
  WINDOWS,
} from "./constants.ts";
import { usualLevel } from "./expectation.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";
import { factorsOf, type SpikeTuning } from "./tuning.ts";
import type { WindowSums } from "./window-sums.ts";

/**
 * Where the cubes of one side stand. The usual variation is measured from two sides: `variationCubes` from what the hour
 * leads to expect, `levelCubes` from the level of the query at any hour, so that day and night count as variation there.
 */
type Side = typeof AT.variationCubes | typeof AT.levelCubes;

/**
 * By how many mentions a window is usually off: the cubic mean. The root of the mean square takes a query that rarely
 * bursts, and then by a lot, for nearly as calm as one that never does, and pages at the next burst of a third of the
 * size; the higher the order of the mean, the more do the largest bursts count in it.
 */
export function usualVariation(state: SpikeState, window: number, side: Side = AT.variationCubes): number {
  if (window === WINDOWS.length) {
    // What goes on with the length of the window as it did from one hour to two.
    const [one, two] = [usualVariation(state, window - 2, side), usualVariation(state, window - 1, side)];
    return two * (two / one) ** STRETCH_POWER;
  }
  const cubes = (state.numbers[side + window] ?? 0) + PRIOR_CUBES;
  return Math.cbrt(cubes / (mark(state, MARK.variationWeight) + VARIATION_WEIGHT));
}

/**
 * A query that bursts shall need a larger burst the next time. What scores beyond the cap teaches as if it had just
 * scored that: else nothing but the like of it would be told for months after a crisis.
 */
export function learnVariation(
  state: SpikeState,
  sums: WindowSums,
  tuning: SpikeTuning,
  first: boolean,
): void {
  const { numbers } = state;
  const { windowWeights, variationFading } = factorsOf(tuning);
  const level = usualLevel(state);
  for (let window = 0; window < WINDOWS.length; window++) {
    const observed = sums.observed[window] ?? 0;
    const cap = tuning.cap / (windowWeights[window] ?? 1);
    const fromHour = Math.abs(observed - (sums.expected[window] ?? 0));
    const fromLevel = Math.abs(observed - level * (sums.buckets[window] ?? 0));
    const hour = first ? 0 : Math.min(fromHour, cap * usualVariation(state, window) + LEARN_MENTIONS);
    const flat = first
      ? 0
      : Math.min(fromLevel, cap * usualVariation(state, window, AT.levelCubes) + LEARN_MENTIONS);
    const [atHour, atLevel] = [AT.variationCubes + window, AT.levelCubes + window];
    numbers[atHour] = variationFading * (numbers[atHour] ?? 0) + hour * hour * hour;
    numbers[atLevel] = variationFading * (numbers[atLevel] ?? 0) + flat * flat * flat;
  }
  numbers[AT.marks + MARK.variationWeight] = variationFading * mark(state, MARK.variationWeight) + 1;
}

const PRIOR_CUBES = VARIATION_WEIGHT * VARIATION_PRIOR ** 3;

/** ln2 of how much longer the window of sparse series is than the longest that is learned. */
const STRETCH_POWER = Math.log2(SPARSE_WINDOW / LONGEST_WINDOW);
