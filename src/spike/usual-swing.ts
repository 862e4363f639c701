import { FADING, LONGEST_WINDOW, SPARSE_WINDOW, SWING_PRIOR, SWING_WEIGHT, WINDOWS } from "./constants.ts";
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
 * By how many mentions a window is usually off: the power mean of order 2.5. The root of the mean square takes a query
 * that rarely bursts, and then by a lot, for nearly as calm as one that never does, and pages at the next burst of half
 * the size; the higher the order, the longer are the largest bursts remembered.
 */
export function usualSwing(state: SpikeState, window: number): number {
  if (window === WINDOWS.length) {
    // What goes on with the length of the window as it did from one hour to two.
    const [one, two] = [usualSwing(state, window - 2), usualSwing(state, window - 1)];
    return two * (two / one) ** Math.log2(STRETCH);
  }
  const moments = (state.numbers[AT.swingMoment + window] ?? 0) + SWING_WEIGHT * momentOf(SWING_PRIOR);
  return (moments / (mark(state, MARK.swingWeight) + SWING_WEIGHT)) ** (1 / ORDER);
}

/** Nothing is limited here: a query that bursts shall need a larger burst the next time. */
export function learnSwing(state: SpikeState, sums: WindowSums, form: SwingForm, first: boolean): void {
  const { numbers } = state;
  for (let window = 0; window < WINDOWS.length; window++) {
    const value = deviationOf(sums, window, form);
    const moment = first ? 0 : momentOf(value - usualDeviation(state, window));
    numbers[AT.swingMoment + window] = FADING.swing * (numbers[AT.swingMoment + window] ?? 0) + moment;
    numbers[AT.swingMean + window] = FADING.swing * (numbers[AT.swingMean + window] ?? 0) + value;
  }
  numbers[AT.marks + MARK.swingWeight] = FADING.swing * mark(state, MARK.swingWeight) + 1;
}

/**
 * For a state that holds sums of squares, as the first two versions did. On real series the power mean is 1.2 to 1.85
 * times the root of the mean square; what is guessed here fades as everything does.
 */
export function takeSquaresForMoments({ numbers }: SpikeState): void {
  const weight = numbers[AT.marks + MARK.swingWeight] ?? 0;
  for (let window = 0; window < WINDOWS.length; window++) {
    const square = numbers[AT.swingMoment + window] ?? 0;
    numbers[AT.swingMoment + window] = weight > 0 ? weight * momentOf(1.35 * Math.sqrt(square / weight)) : 0;
  }
}

const ORDER = 2.5;

/** |deviation| ^ 2.5, the quick way. */
function momentOf(deviation: number): number {
  return deviation * deviation * Math.sqrt(Math.abs(deviation));
}

const STRETCH = SPARSE_WINDOW / LONGEST_WINDOW;
