import type { Instant } from "../lib/instant.ts";
import type { Explanation } from "../model/explanation.ts";

/** A bucket of what an alert counts, with what it should have held. In order of time, without a gap. */
export interface ExpectedBucket {
  readonly at: Instant;
  readonly count: number;
  readonly expected: number;
}

/**
 * Since when there is more than usual: the start of the run of buckets, up to the end of the alert's window, in which
 * the last quarter of an hour held twice what was expected. Null when the window itself does not look like that.
 */
export function onsetOf(buckets: readonly ExpectedBucket[], windowTo: Instant): Instant | null {
  const upTo = buckets.findLastIndex(({ at }) => at < windowTo);
  let onset: Instant | null = null;
  let lulls = 0;
  for (let i = upTo; i >= 2; i--) {
    const [count, expected] = sums(buckets, i - 2, i);
    const isHigh = count >= 3 && count >= 2 * expected;
    if (isHigh) onset = buckets[i - 2]?.at ?? onset;
    lulls = isHigh ? 0 : lulls + 1;
    if (lulls > LONGEST_LULL) break;
  }
  if (onset === null) return null;
  const first = onset;
  return buckets.find(({ at, count, expected }) => at >= first && count > expected)?.at ?? onset;
}

/** Buckets of calm inside one run. */
const LONGEST_LULL = 3;

function sums(buckets: readonly ExpectedBucket[], from: number, to: number): readonly [number, number] {
  let count = 0;
  let expected = 0;
  for (let i = from; i <= to; i++) {
    count += buckets[i]?.count ?? 0;
    expected += buckets[i]?.expected ?? 0;
  }
  return [count, expected];
}

/** The end of the newest earlier window that held at least `observed`, before `before`; else since when it is known. */
export function largestSince(
  buckets: readonly ExpectedBucket[],
  width: number,
  observed: number,
  before: Instant,
): Explanation["largest"] {
  const first = buckets[0];
  if (first === undefined || width < 1) return null;
  const end = buckets.findLastIndex(({ at }) => at < before);
  let sum = 0;
  for (let i = end; i >= 0; i--) {
    sum += buckets[i]?.count ?? 0;
    if (i + width <= end) sum -= buckets[i + width]?.count ?? 0;
    if (i + width - 1 <= end && sum >= observed) {
      return { since: buckets[i]?.at ?? null, knownFrom: first.at };
    }
  }
  return { since: null, knownFrom: first.at };
}

/**
 * The bars of an alert's chart, each as wide as the window of the alert (`width` buckets) and one of them that window
 * itself, so that its height is the number of the sentence: a day of them, and enough to see what is usual. A bar that
 * is not over yet would look like a fall, so it is left out.
 */
export function windowBars(
  buckets: readonly ExpectedBucket[],
  windowTo: Instant,
  width: number,
): readonly ExpectedBucket[] {
  const end = buckets.findLastIndex(({ at }) => at < windowTo) + 1;
  const bars: ExpectedBucket[] = [];
  for (let i = end % width; i + width <= buckets.length; i += width) {
    const [count, expected] = sums(buckets, i, i + width - 1);
    bars.push({ at: buckets[i]?.at ?? 0, count, expected });
  }
  return bars.slice(-Math.min(MOST_BARS, Math.max(FEWEST_BARS, Math.round(DAY_BUCKETS / width))));
}

const DAY_BUCKETS = 288;
const FEWEST_BARS = 24;
/** Narrower ones are hard to tell apart. */
const MOST_BARS = 144;
