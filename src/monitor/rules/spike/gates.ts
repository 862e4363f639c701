import { JUDGED_WINDOWS, LEAST_WANDER, LONGEST_WINDOW, SPARSE_WINDOW, WINDOWS } from "./constants.ts";
import { usualLevel } from "./expectation.ts";
import { lnChanceOfCount, lnNegativeBinomialTail } from "./negative-binomial.ts";
import { factorsOf, type SpikeTuning } from "./sensitivity.ts";
import { AT, MARK, mark, type SpikeState } from "./spike-state.ts";
import { type Dispersion, dispersionOf, rateNoise, usualVariation } from "./variation.ts";
import type { WindowSums } from "./window-sums.ts";

/** The least likely window, as an index into `JUDGED_WINDOWS`. */
interface Significance {
  /** Logarithm of the chance that noise brings at least the observed count; 0 if no window is unlikely. */
  readonly lnP: number;
  readonly window: number;
}

/** Which windows may be judged, by their index in `JUDGED_WINDOWS`. */
export type TakesPart = (window: number) => boolean;

/** Gate (a): is the count unlikely, given all its usual causes of variation? Skips windows below `atLeast`. */
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
    // Within two standard deviations no tail of this family is below .02, and most buckets end here.
    if ((observed - expected) ** 2 <= 4 * spread) continue;
    const here = lnChanceOfCount(observed, expected, cluster, wander);
    if (here < lnP) {
      lnP = here;
      best = window;
    }
  }
  return { lnP, window: best };
}

/** How unusual for this query: deviations in units of its own usual variation; longer windows count more. */
interface Unusualness {
  readonly score: number;
  readonly window: number;
}

/**
 * Gate (b). Past bursts are part of the usual variation, so a query that often bursts has a higher gate. Measured from
 * this hour's expectation and from the query's level at any hour, so that a query with quiet nights fires less often in
 * the morning.
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
 * Gate (c): could plain counting noise on a few mentions look like this? Logarithm of the least chance. It assumes only
 * the small variation of any query's rate, because so few mentions cannot teach this query's own.
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
    // Noise has fewer tries in wider windows.
    lnP = Math.min(lnP, window === WINDOWS.length ? here - LN_STRETCH : here);
  }
  return lnP;
}

/**
 * The largest count that noise explains if `expected` mentions are expected: one more has a chance below `lnChance`.
 * The inverse of the significance test, drawn as a band. `width` is in buckets; it uses the variance of the longest
 * window of `WINDOWS` that is not wider. About ten times as slow as the test.
 */
export function ordinaryLimit(state: SpikeState, expected: number, width: number, lnChance: number): number {
  const { cluster, uncertainty } = dispersionOf(state);
  const wander =
    rateNoise(
      state,
      Math.max(
        0,
        WINDOWS.findLastIndex((window) => window <= width),
      ),
    ) + uncertainty;
  const isOrdinary = (count: number): boolean =>
    count <= expected || lnChanceOfCount(count, expected, cluster, wander) > lnChance;
  let ordinary = Math.floor(expected);
  let step = 1;
  while (isOrdinary(ordinary + step)) {
    ordinary += step;
    step *= 2;
  }
  // The limit is now inside the last step.
  for (let part = step / 2; part >= 1; part /= 2) if (isOrdinary(ordinary + part)) ordinary += part;
  return ordinary;
}
