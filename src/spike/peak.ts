import { RING } from "./constants.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";

/** The strongest moment of an episode; notifications describe it while the episode is open. */
export interface SpikeMoment {
  /** Number of the bucket at whose end it was observed. */
  readonly bucket: number;
  /** Width of its window in buckets. */
  readonly window: number;
  readonly observed: number;
  readonly expected: number;
  /** Natural logarithm of its chance by noise. */
  readonly lnP: number;
  readonly score: number;
  /** Share of the window's mentions that should have arrived by then. */
  readonly completeness: number;
}

/** Keeps `moment` if it is the strongest of the open episode, or its `first`. */
export function rememberPeak(state: SpikeState, moment: SpikeMoment, first: boolean): void {
  if (!first && moment.score <= mark(state, MARK.peakScore)) return;
  state.numbers[AT.marks + MARK.peakAt] = moment.bucket;
  state.numbers[AT.marks + MARK.peakWindow] = moment.window;
  state.numbers[AT.marks + MARK.peakObserved] = moment.observed;
  state.numbers[AT.marks + MARK.peakExpected] = moment.expected;
  state.numbers[AT.marks + MARK.peakLnP] = moment.lnP;
  state.numbers[AT.marks + MARK.peakScore] = moment.score;
  state.numbers[AT.marks + MARK.peakCompleteness] = moment.completeness;
}

/** The newest bucket up to `bucket`, inside a window of `width`, that holds mentions; `bucket` if none does. */
export function newestWithMentions(state: SpikeState, bucket: number, width: number): number {
  for (let age = 0; age < width && age <= bucket; age++) {
    if ((state.numbers[AT.counts + ((bucket - age) % RING)] ?? 0) > 0) return bucket - age;
  }
  return bucket;
}
