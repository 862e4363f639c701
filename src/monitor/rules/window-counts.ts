import type { Instant } from "../../lib/instant.ts";
import type { BucketCount } from "./window-condition.ts";

/** Counts of the newest buckets by event time, newest first. */
export type WindowCounts = { readonly newest: Instant; readonly counts: readonly number[] };

export const noCounts: WindowCounts = { newest: 0, counts: [] };

/**
 * Moves the window on to `bucket` and adds the arrivals, each mention to the bucket of its own time; older ones are
 * dropped. `left` is what the window lost by moving.
 */
export function moveWindow(
  before: WindowCounts,
  bucket: Instant,
  bucketMs: number,
  buckets: number,
  arrivals: readonly BucketCount[],
): { readonly window: WindowCounts; readonly left: number } {
  const steps =
    before.counts.length === 0 ? buckets : Math.max(0, Math.round((bucket - before.newest) / bucketMs));
  const kept = before.counts.slice(0, Math.max(0, buckets - steps));
  const counts = [...new Array<number>(Math.min(steps, buckets)).fill(0), ...kept];
  for (const arrival of arrivals) {
    const age = Math.round((bucket - arrival.bucket) / bucketMs);
    if (age >= 0 && age < buckets) counts[age] = (counts[age] ?? 0) + arrival.count;
  }
  return { window: { newest: bucket, counts }, left: total(before.counts.slice(kept.length)) };
}

/** Mentions in the window; never negative, even if a mention leaves a slice that never counted it. */
export function total(counts: readonly number[]): number {
  let sum = 0;
  for (const count of counts) sum += count;
  return Math.max(0, sum);
}
