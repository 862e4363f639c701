import { DAY } from "../lib/instant.ts";
import { type SpikeTuning, TUNING } from "./tuning.ts";

/** How unusual a count must be to fire. */
export const SENSITIVITIES = ["remarkable", "any anomaly", "strict"] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

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
