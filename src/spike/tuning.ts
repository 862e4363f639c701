import { DAY_BUCKETS, fadingOf, JUDGED_WINDOWS } from "./constants.ts";

/**
 * The constants of the gates, measured on labelled series; a measurement can pass in other values. All other constants
 * are in `constants.ts`. The README says how to measure a change.
 */
export interface SpikeTuning {
  /** The score that a query without recent bursts must reach. */
  readonly gate: number;
  /**
   * -log10(chance) times the square of the score, at the limit of `remarkable`: a score of 3.65 needs its full 10^-3.
   * The other presets use the same multiple of their own limit.
   */
  readonly product: number;
  /** The part of the gate by which each remembered wave raises it. 0: every repeated burst fires. */
  readonly waveWeight: number;
  /** Half-life of the memory of waves, in days. */
  readonly waveMemoryDays: number;
  /** Half-life of the usual variation, in days. */
  readonly halfLifeDays: number;
  /** Longer windows count more: the exponent of (buckets / 12) in the score. */
  readonly exponent: number;
  /** The usual variation learns from a window at most the deviation with this score, plus LEARN_MENTIONS. */
  readonly cap: number;
  /** The part of the score measured from the query's level; the other part is from this hour's expectation. */
  readonly flatPart: number;
}

export const TUNING: SpikeTuning = Object.freeze({
  gate: 2.5,
  product: 3 * 3.65 ** 2,
  waveWeight: 0.25,
  waveMemoryDays: 7,
  halfLifeDays: 10,
  exponent: 0.35,
  cap: 9,
  flatPart: 0.4,
});

/** Values derived from a tuning, too slow to compute for every bucket. */
export interface TuningFactors {
  /** By index into `JUDGED_WINDOWS`. */
  readonly windowWeights: readonly number[];
  readonly variationFading: number;
  readonly waveFading: number;
}

export function factorsOf(tuning: SpikeTuning): TuningFactors {
  const known = factors.get(tuning);
  if (known !== undefined) return known;
  const made = {
    windowWeights: JUDGED_WINDOWS.map((width) => (width / 12) ** tuning.exponent),
    variationFading: fadingOf(tuning.halfLifeDays * DAY_BUCKETS),
    waveFading: fadingOf(tuning.waveMemoryDays * DAY_BUCKETS),
  };
  factors.set(tuning, made);
  return made;
}

const factors = new WeakMap<SpikeTuning, TuningFactors>();
