import { DAY } from "../../../lib/instant.ts";
import { DAY_BUCKETS } from "../../model/judging.ts";
import { fadingOf, JUDGED_WINDOWS } from "./constants.ts";

/** How unusual a count must be to fire. */
export const SENSITIVITIES = ["remarkable", "any anomaly", "strict"] as const;
type Sensitivity = (typeof SENSITIVITIES)[number];

/** The gates; probabilities as natural logarithms. Null switches a gate off. */
export interface Gates {
  readonly lnSignificant: number;
  readonly score: number | null;
  readonly lnCountingNoise: number | null;
  /** Fewer mentions than this never fire, however rare they are. */
  readonly leastMentions: number;
}

/**
 * The significance that a count needs, given how unusual it is for its query: one compensates for the other. The
 * logarithm of a chance goes with the square of a deviation, so their product is constant, down to half of the named
 * significance. Waves, which raise the gate, do not count here.
 */
export function lnSignificantFor(
  { lnSignificant, score: gate }: Gates,
  score: number,
  product = TUNING.product,
): number {
  if (gate === null) return lnSignificant;
  return lnSignificant * Math.max(LEAST_SIGNIFICANCE, product / (REMARKABLE_DIGITS * score ** 2));
}

const LEAST_SIGNIFICANCE = 0.5;
/** The limit of `remarkable` is 10^-3; the product is given for it. */
const REMARKABLE_DIGITS = 3;

export function gatesOf(sensitivity: Sensitivity, tuning: SpikeTuning = TUNING): Gates {
  const { gate } = tuning;
  switch (sensitivity) {
    case "remarkable":
      return { lnSignificant: Math.log(1e-3), score: gate, lnCountingNoise: LN_NOISE, leastMentions: 4 };
    case "strict":
      return { lnSignificant: Math.log(1e-4), score: gate, lnCountingNoise: LN_NOISE, leastMentions: 4 };
    case "any anomaly":
      return significanceGate(significanceFor(30 * DAY));
  }
}

/** Significance alone: everything that chance does not explain, even if it is usual for this query. */
export function significanceGate(probability: number): Gates {
  return { lnSignificant: Math.log(probability), score: null, lnCountingNoise: null, leastMentions: 0 };
}

/** One in 10,000: queries of one mention an hour have a false alarm in 25 days. */
const LN_NOISE = Math.log(1e-4);

/** The probability at which significance alone gives one false alarm in `everyMs`: it acts like 150 tests a day. */
export function significanceFor(everyMs: number): number {
  return Math.min(0.5, DAY / (150 * everyMs));
}

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
interface TuningFactors {
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
