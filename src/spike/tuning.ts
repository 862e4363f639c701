import { DAY_BUCKETS, fadingOf, JUDGED_WINDOWS } from "./constants.ts";

/**
 * The constants of the gates that were measured on labelled series, in one object that a measurement can pass in with
 * other values. Everything else the detector takes from `constants.ts`. The README says how a change is measured.
 */
export interface SpikeTuning {
  /** The score that a query without recent bursts has to reach. */
  readonly gate: number;
  /**
   * -log10(chance) times the square of the score, at the limit of `remarkable`: a score of 3.65 needs its full 10^-3.
   * The other presets ask for the same multiple of their own limit.
   */
  readonly product: number;
  /** By how much of the gate every remembered wave raises it. 0: a burst that comes again and again is told each time. */
  readonly waveWeight: number;
  /** Half-life of the memory of waves, in days. */
  readonly waveMemoryDays: number;
  /** Half-life of the usual variation, in days. */
  readonly halfLifeDays: number;
  /** Longer windows are trusted more: the exponent of (buckets / 12) in the score. */
  readonly exponent: number;
  /** Of the usual variation, a window teaches at most what would score this, plus LEARN_MENTIONS. */
  readonly cap: number;
  /** The part of the score that is measured from the query's level; the rest from what this hour leads to expect. */
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

/** What follows from a tuning and would be too slow to compute for every bucket. */
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
