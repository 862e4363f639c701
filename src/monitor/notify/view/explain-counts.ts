import type { Instant } from "../../../lib/instant.ts";
import type { Explanation } from "../../model/alert.ts";
import { DAY_BUCKETS } from "../../model/judging.ts";

/** A bucket of the alert's count and its expected count. Ordered by time, without a gap. */
export interface ExpectedBucket {
  readonly at: Instant;
  readonly count: number;
  readonly expected: number;
}

/**
 * When the counts began to be higher than usual: the start of the run of buckets, up to the end of the alert's window,
 * in which the last quarter of an hour held twice the expected count. Null if the window itself is not like that.
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

/** The most calm buckets inside one run. */
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

/** The end of the newest window before `before` that held at least `observed`; else since when the counts are known. */
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
      return { since: buckets[i + width]?.at ?? before, knownFrom: first.at };
    }
  }
  return { since: null, knownFrom: first.at };
}

/**
 * The bars of an alert's chart. Each is as wide as the alert's window (`width` buckets), and one of them is that window
 * itself, so that its height is the number in the sentence. They cover a day, and enough to show what is usual. An
 * unfinished bar would look like a fall, so it is left out.
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

const FEWEST_BARS = 24;
/** More bars would be too narrow to distinguish. */
const MOST_BARS = 144;
