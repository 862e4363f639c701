import { JUDGED_WINDOWS, RING, SPARSE_BELOW, SPARSE_WINDOW, WINDOWS } from "./constants.ts";
import { AT, fromShortFloat, type SpikeState } from "./spike-state.ts";

/** One number per window of `WINDOWS`, in that order; then the window of sparse series, if requested. */
export interface WindowSums {
  readonly observed: number[];
  readonly expected: number[];
  /** Buckets that the window covers: fewer than its width at the start of a series. */
  readonly buckets: number[];
  /** Share of the window's mentions that should have arrived by now. */
  readonly completeness: number[];
}

/**
 * Sums over the windows that end with bucket `newest`. `arrived[k]`: share arrived k buckets later; default all.
 * `judged`: includes the window of sparse series, if this is one.
 */
export function windowSums(
  state: SpikeState,
  newest: number,
  arrived?: readonly number[],
  judged = false,
): WindowSums {
  const sums: WindowSums = { observed: [], expected: [], buckets: [], completeness: [] };
  let observed = 0;
  let expected = 0;
  let completeness = 0;
  let age = 0;
  // Step back through the ring: a remainder for every bucket would be the slowest part.
  let slot = newest % RING;
  for (const width of judged ? JUDGED_WINDOWS : WINDOWS) {
    if (width === SPARSE_WINDOW && (expected >= SPARSE_BELOW || newest + 1 < width)) break;
    for (; age < width && age <= newest; age++) {
      const share = arrived === undefined ? 1 : (arrived[age] ?? 1);
      observed += state.numbers[AT.counts + slot] ?? 0;
      expected += fromShortFloat(state.expected[slot] ?? 0) * share;
      completeness += share;
      slot = slot === 0 ? RING - 1 : slot - 1;
    }
    sums.observed.push(observed);
    sums.expected.push(expected);
    sums.buckets.push(age);
    sums.completeness.push(completeness / age);
  }
  return sums;
}
