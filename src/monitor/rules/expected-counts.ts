import type { Instant } from "../../lib/instant.ts";
import { BUCKET_MS } from "../model/judging.ts";
import { ordinaryLimit } from "./spike/gates.ts";
import { learnOnly } from "./spike/learn-only.ts";
import { createSpikeState } from "./spike/spike-state.ts";

/** The counts of a series up to `to`, bucket by bucket, with what the spike detector expects when it only learns. */
export function expectCounts(
  counts: readonly { readonly bucket: Instant; readonly n: number }[],
  first: Instant,
  to: Instant,
  zone: string | undefined,
) {
  const byBucket = new Map(counts.map(({ bucket, n }) => [bucket, n]));
  const state = createSpikeState(first);
  const buckets: { readonly at: Instant; readonly count: number; readonly expected: number }[] = [];
  for (let at = first; at < to; at += BUCKET_MS) {
    const count = Math.max(0, byBucket.get(at) ?? 0);
    const { expected } = learnOnly(state, [{ age: 0, count }], zone);
    buckets.push({ at, count, expected });
  }
  return {
    buckets,
    /** The count that `width` buckets, of which so many are expected, reach by chance once in a thousand times. */
    ordinary: (expected: number, width: number) => ordinaryLimit(state, expected, width, Math.log(1e-3)),
  };
}
