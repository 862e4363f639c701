import { DAY_BUCKETS } from "../model/judging.ts";
/** Faded sums of matching mentions, of all mentions, and of the buckets that they came from. */
export type UsualShare = { readonly part: number; readonly whole: number; readonly buckets: number };

export const noUsualShare: UsualShare = { part: 0, whole: 0, buckets: 0 };

/** Half-life of seven days. */
const FADING = 0.5 ** (1 / (7 * DAY_BUCKETS));
/** The weight that a day keeps after a day. */
const LEAST_BUCKETS = 0.94 * DAY_BUCKETS;

/** Adds one bucket. Rounds to 32 bits, because more digits would only enlarge the table. */
export function learnShare(usual: UsualShare, part: number, whole: number): UsualShare {
  return {
    part: Math.fround(FADING * usual.part + part),
    whole: Math.fround(FADING * usual.whole + whole),
    buckets: Math.fround(FADING * usual.buckets + 1),
  };
}

/** Whether there is enough history to know the usual share: a day, with twice the mentions of one verdict. */
export function isUsualKnown({ whole, buckets }: UsualShare, among: number): boolean {
  return buckets >= LEAST_BUCKETS && whole >= leastMentions(among);
}

/** Buckets still missing before the usual share is known. */
export function bucketsUntilUsual({ buckets }: UsualShare): number {
  if (buckets >= LEAST_BUCKETS) return 0;
  const whole = 1 / (1 - FADING);
  return Math.ceil(Math.log((whole - LEAST_BUCKETS) / (whole - buckets)) / Math.log(FADING));
}

/** Mentions still missing. */
export function mentionsUntilUsual({ whole }: UsualShare, among: number): number {
  return Math.max(0, Math.ceil(leastMentions(among) - whole));
}

function leastMentions(among: number): number {
  return 2 * among;
}

export function usualShare({ part, whole }: UsualShare): number {
  return whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole));
}
