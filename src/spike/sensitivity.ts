import { DAY } from "../lib/instant.ts";

/** How much a count has to stand out before somebody is told. */
export const SENSITIVITIES = ["remarkable", "any anomaly", "strict"] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** The gates; probabilities as natural logarithms. A gate that is null stands open. */
export interface Gates {
  readonly lnSignificant: number;
  readonly score: number | null;
  readonly lnCountingNoise: number | null;
  /** Fewer mentions than these are nobody's news, however rare they are. */
  readonly leastMentions: number;
}

/**
 * How significant a count has to be that is so unusual for its query: significance and unusualness make up for each
 * other. The logarithm of a chance goes with the square of its deviation, so their product is held constant: who has
 * just passed the gate of the score needs more than the named significance, who is far beyond it half as much.
 */
export function lnSignificantFor({ lnSignificant, score: limit }: Gates, score: number): number {
  if (limit === null || score < limit) return lnSignificant;
  return lnSignificant * Math.max(LEAST_SIGNIFICANCE, AT_THE_LIMIT * (limit / score) ** 2);
}

const AT_THE_LIMIT = 1.2;
const LEAST_SIGNIFICANCE = 0.5;

export function gatesOf(sensitivity: Sensitivity): Gates {
  switch (sensitivity) {
    case "remarkable":
      return { lnSignificant: Math.log(1e-3), score: UNUSUAL, lnCountingNoise: LN_NOISE, leastMentions: 4 };
    case "strict":
      return { lnSignificant: Math.log(1e-4), score: UNUSUAL, lnCountingNoise: LN_NOISE, leastMentions: 4 };
    case "any anomaly":
      return significanceGate(significanceFor(30 * DAY));
  }
}

/** Significance alone: everything that chance does not explain, be it usual for this query or not. */
export function significanceGate(probability: number): Gates {
  return { lnSignificant: Math.log(probability), score: null, lnCountingNoise: null, leastMentions: 0 };
}

/** In usual swings, the windows weighted: the middle of where the score on labelled series is flat. */
const UNUSUAL = 3.8;
/** One in 10,000: queries of one mention an hour have a false alarm in 25 days. */
const LN_NOISE = Math.log(1e-4);

/** The probability at which significance alone gives one false alarm in `everyMs`: it acts like 150 tests a day. */
export function significanceFor(everyMs: number): number {
  return Math.min(0.5, DAY / (150 * everyMs));
}
