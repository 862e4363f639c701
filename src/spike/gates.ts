import { lnChanceOfCount } from "./chance-of-count.ts";
import { JUDGED_WINDOWS, LEAST_WANDER, LONGEST_WINDOW, SPARSE_WINDOW, WINDOWS } from "./constants.ts";
import { type Dispersion, rateNoise } from "./dispersion.ts";
import { usualLevel } from "./expectation.ts";
import { lnNegativeBinomialTail } from "./negative-binomial-tail.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";
import { factorsOf, type SpikeTuning } from "./tuning.ts";
import { usualVariation } from "./usual-variation.ts";
import type { WindowSums } from "./window-sums.ts";

/** The window that stands out most by chance, as an index into `JUDGED_WINDOWS`. */
export interface Significance {
  /** Logarithm of the chance of at least what was observed by ordinary noise; 0 when nothing stands out. */
  readonly lnP: number;
  readonly window: number;
}

/** Which windows may be judged, by their index in `JUDGED_WINDOWS`. */
export type TakesPart = (window: number) => boolean;

/** Gate (a): is the count unlikely under everything that usually moves it? Windows below `atLeast` take no part. */
export function significance(
  state: SpikeState,
  sums: WindowSums,
  dispersion: Dispersion,
  atLeast: number,
  takesPart: TakesPart | undefined,
): Significance {
  let lnP = 0;
  let best = -1;
  for (const [window, width] of JUDGED_WINDOWS.entries()) {
    const observed = sums.observed[window] ?? 0;
    const expected = sums.expected[window] ?? 0;
    if (sums.buckets[window] !== width || observed < atLeast || observed <= expected) continue;
    if (takesPart !== undefined && !takesPart(window)) continue;
    const { cluster, uncertainty } = dispersion;
    const wander = rateNoise(state, window) + uncertainty;
    const spread = cluster * expected + wander * expected * expected;
    // Inside two standard deviations no tail of this family lies below .02, and most buckets end here.
    if ((observed - expected) ** 2 <= 4 * spread) continue;
    const here = lnChanceOfCount(observed, expected, cluster, wander);
    if (here < lnP) {
      lnP = here;
      best = window;
    }
  }
  return { lnP, window: best };
}

/** How unusual for this query: deviations in its own usual variation, the windows weighted by their length. */
export interface Unusualness {
  readonly score: number;
  readonly window: number;
}

/**
 * Gate (b). Past bursts are part of the usual variation, so a query that often bursts has a higher bar. Measured from
 * two sides: what this hour leads to expect, and the level of the query at any hour, so that a query whose nights and
 * days differ tells less of what its mornings bring.
 */
export function unusualness(state: SpikeState, sums: WindowSums, tuning: SpikeTuning): Unusualness {
  const weight = mark(state, MARK.variationWeight);
  if (weight === 0) return { score: 0, window: 0 };
  const { windowWeights } = factorsOf(tuning);
  const level = usualLevel(state);
  let score = Number.NEGATIVE_INFINITY;
  let best = 0;
  for (let window = 0; window < sums.observed.length; window++) {
    const observed = sums.observed[window] ?? 0;
    const completeness = sums.completeness[window] ?? 1;
    const fromHour = (observed - (sums.expected[window] ?? 0)) / usualVariation(state, window);
    const usual = completeness * level * (sums.buckets[window] ?? 0);
    const fromLevel = (observed - usual) / usualVariation(state, window, AT.levelCubes);
    const both = (1 - tuning.flatPart) * fromHour + tuning.flatPart * fromLevel;
    const here = (both / completeness) * (windowWeights[window] ?? 1);
    if (here > score) {
      score = here;
      best = window;
    }
  }
  return { score, window: best };
}

const LN_STRETCH = Math.log(SPARSE_WINDOW / LONGEST_WINDOW);

/**
 * Gate (c): could plain counting noise on a handful of mentions look like this? Logarithm of the least chance. Of the
 * rate it knows only that every query's wanders a little: what this query's does is learned from too few mentions.
 */
export function lnCountingNoise(sums: WindowSums, dispersion: Dispersion): number {
  let lnP = 0;
  for (const [window, width] of JUDGED_WINDOWS.entries()) {
    const observed = sums.observed[window] ?? 0;
    const expected = sums.expected[window] ?? 0;
    if (sums.buckets[window] !== width || observed <= expected) continue;
    const wander = LEAST_WANDER + dispersion.uncertainty;
    const spread = dispersion.cluster * expected + wander * expected * expected;
    const here = lnNegativeBinomialTail(observed, expected, spread);
    // Noise has fewer tries at windows that follow one another less often.
    lnP = Math.min(lnP, window === WINDOWS.length ? here - LN_STRETCH : here);
  }
  return lnP;
}
