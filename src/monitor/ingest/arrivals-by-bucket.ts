import type { Instant } from "../../lib/instant.ts";
import type { CountChange } from "../model/judging.ts";

/** Counts by arrival bucket and series, with the mentions' own time. */
export type Arrivals = ReadonlyMap<
  Instant,
  ReadonlyMap<string, readonly { bucket: Instant; count: number }[]>
>;

export function arrivalsByBucket(changes: readonly CountChange[]): Arrivals {
  const buckets = new Map<Instant, Map<string, { bucket: Instant; count: number }[]>>();
  for (const { arrived, series, bucket, n } of changes) {
    const inBucket = buckets.get(arrived) ?? new Map<string, { bucket: Instant; count: number }[]>();
    buckets.set(arrived, inBucket);
    const list = inBucket.get(series) ?? [];
    inBucket.set(series, list);
    list.push({ bucket, count: n });
  }
  return buckets;
}
