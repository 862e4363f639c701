import { DAY_BUCKETS } from "../model/judging.ts";
import { type UsualShare, usualShare } from "./usual-share.ts";

/**
 * The usual variation of a query's share from window to window, beyond chance: faded sums, and the window that is being
 * filled with mentions that have left the judged one.
 */
export type ShareVariation = {
  readonly excess: number;
  readonly weight: number;
  readonly part: number;
  readonly whole: number;
  readonly buckets: number;
};

export const noShareVariation: ShareVariation = { excess: 0, weight: 0, part: 0, whole: 0, buckets: 0 };

/** Assumed at first: two mentions of a window agree a little more often than by chance. */
const PRIOR = 0.02;
const PRIOR_WEIGHT = 600;

/** Adds one past bucket. Learns whenever a window of `buckets` is full. */
export function learnVariation(
  usualVariation: ShareVariation,
  usual: UsualShare,
  part: number,
  whole: number,
  buckets: number,
): ShareVariation {
  const filled = {
    part: usualVariation.part + part,
    whole: usualVariation.whole + whole,
    buckets: usualVariation.buckets + 1,
  };
  if (filled.buckets < buckets) return { ...usualVariation, ...filled };
  const fading = 0.5 ** (buckets / (20 * DAY_BUCKETS));
  const share = usualShare(usual);
  const chance = filled.whole * share * (1 - share);
  const error = Math.min((filled.part - filled.whole * share) ** 2, 25 * chance + 16);
  return {
    excess: Math.fround(fading * usualVariation.excess + (filled.whole > 1 ? error - chance : 0)),
    weight: Math.fround(fading * usualVariation.weight + Math.max(0, chance * (filled.whole - 1))),
    part: 0,
    whole: 0,
    buckets: 0,
  };
}

/** How much more two mentions of one window agree than any two: the variation, and the usual share's uncertainty. */
export function togetherness({ excess, weight }: ShareVariation, { whole }: UsualShare): number {
  const usualVariation = (excess + PRIOR * PRIOR_WEIGHT) / (weight + PRIOR_WEIGHT);
  return Math.min(0.5, Math.max(0.002, usualVariation) + 1 / (whole + 1));
}
