import { DAY } from "../lib/instant.ts";

/** How much a count has to stand out before somebody is told. */
export const SENSITIVITIES = ["remarkable", "any anomaly", "strict"] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** The three gates; probabilities as natural logarithms. A gate that is null stands open. */
export interface Gates {
  readonly lnSignificant: number;
  readonly score: number | null;
  readonly lnCountingNoise: number | null;
}

export function gatesOf(sensitivity: Sensitivity): Gates {
  switch (sensitivity) {
    case "remarkable":
      return { lnSignificant: Math.log(1e-3), score: 5, lnCountingNoise: Math.log(1e-4) };
    case "strict":
      return { lnSignificant: Math.log(1e-4), score: 5, lnCountingNoise: Math.log(1e-4) };
    case "any anomaly":
      return significanceGate(significanceFor(30 * DAY));
  }
}

/** Significance alone: everything that chance does not explain, be it usual for this query or not. */
export function significanceGate(probability: number): Gates {
  return { lnSignificant: Math.log(probability), score: null, lnCountingNoise: null };
}

/** The probability at which significance alone gives one false alarm in `everyMs`: it acts like 150 tests a day. */
export function significanceFor(everyMs: number): number {
  return Math.min(0.5, DAY / (150 * everyMs));
}
