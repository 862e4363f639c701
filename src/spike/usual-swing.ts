import {
  FADING,
  JUDGED_WINDOWS,
  LEARN_MENTIONS,
  LEARN_SCORE,
  LONGEST_WINDOW,
  SPARSE_WINDOW,
  SWING_PRIOR,
  SWING_WEIGHT,
  WINDOW_EXPONENT,
  WINDOWS,
} from "./constants.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";
import type { WindowSums } from "./window-sums.ts";

/** What the query's own swing is measured from: its mean ("flat"), or what the hour of the week leads to expect. */
export type SwingForm = "flat" | "seasonal";

/** How far a window is off what its form measures from, in mentions. */
export function deviationOf(sums: WindowSums, window: number, form: SwingForm): number {
  const observed = sums.observed[window] ?? 0;
  return form === "flat" ? observed : observed - (sums.expected[window] ?? 0);
}

/** The running mean of a window's deviations. */
export function usualDeviation(state: SpikeState, window: number): number {
  if (window === WINDOWS.length) return STRETCH * usualDeviation(state, window - 1);
  const weight = mark(state, MARK.swingWeight);
  return weight === 0 ? 0 : (state.numbers[AT.swingMean + window] ?? 0) / weight;
}

/**
 * By how many mentions a window is usually off: the cubic mean. The root of the mean square takes a query that rarely
 * bursts, and then by a lot, for nearly as calm as one that never does, and pages at the next burst of a third of the
 * size; the higher the order of the mean, the more do the largest bursts count in it.
 */
export function usualSwing(state: SpikeState, window: number): number {
  if (window === WINDOWS.length) {
    // What goes on with the length of the window as it did from one hour to two.
    const [one, two] = [usualSwing(state, window - 2), usualSwing(state, window - 1)];
    return two * (two / one) ** Math.log2(STRETCH);
  }
  const cubes = (state.numbers[AT.swingCubes + window] ?? 0) + PRIOR_CUBES;
  return Math.cbrt(cubes / (mark(state, MARK.swingWeight) + SWING_WEIGHT));
}

/**
 * A query that bursts shall need a larger burst the next time. What scores beyond LEARN_SCORE teaches as if it had just
 * scored that: else nothing but the like of it would be told for months after a crisis.
 */
export function learnSwing(state: SpikeState, sums: WindowSums, form: SwingForm, first: boolean): void {
  const { numbers } = state;
  for (let window = 0; window < WINDOWS.length; window++) {
    const value = deviationOf(sums, window, form);
    const limit = (LEARN_SCORE * usualSwing(state, window)) / (WINDOW_WEIGHTS[window] ?? 1) + LEARN_MENTIONS;
    const off = first ? 0 : Math.min(Math.abs(value - usualDeviation(state, window)), limit);
    numbers[AT.swingCubes + window] = FADING.swing * (numbers[AT.swingCubes + window] ?? 0) + off * off * off;
    numbers[AT.swingMean + window] = FADING.swing * (numbers[AT.swingMean + window] ?? 0) + value;
  }
  numbers[AT.marks + MARK.swingWeight] = FADING.swing * mark(state, MARK.swingWeight) + 1;
}

/**
 * For a state that holds sums of squares, as the first two versions did. On real series the cubic mean is 1.35 to 2.9
 * times the root of the mean square; what is guessed here fades as everything does.
 */
export function takeSquaresForCubes({ numbers }: SpikeState): void {
  const weight = numbers[AT.marks + MARK.swingWeight] ?? 0;
  for (let window = 0; window < WINDOWS.length; window++) {
    const squares = numbers[AT.swingCubes + window] ?? 0;
    const usual = weight > 0 ? 1.6 * Math.sqrt(squares / weight) : 0;
    numbers[AT.swingCubes + window] = weight * usual * usual * usual;
  }
}

/** By index into `JUDGED_WINDOWS`: longer windows are trusted more. */
export const WINDOW_WEIGHTS = JUDGED_WINDOWS.map((width) => (width / 12) ** WINDOW_EXPONENT);

const PRIOR_CUBES = SWING_WEIGHT * SWING_PRIOR ** 3;

const STRETCH = SPARSE_WINDOW / LONGEST_WINDOW;
