import { floorTo, type Instant } from "../../lib/instant.ts";
import { BUCKET_MS, type CountChange } from "../model/judging.ts";
import type { Mention } from "../model/mention.ts";

interface PageCounts {
  /** Rounds `arrivedAt` and `eventAt` down to their buckets. */
  add(series: string, arrivedAt: Instant, eventAt: Instant, n: number): void;
  /** One change for each count; zeros are left out. */
  changes(): CountChange[];
}

/** Sums single changes of counts into one change for each count. */
export function createPageCounts(): PageCounts {
  const changes = new Map<string, Map<Instant, Map<Instant, CountChange & { n: number }>>>();
  return {
    add(series, arrivedAt, eventAt, n) {
      const arrived = floorTo(arrivedAt, BUCKET_MS);
      const bucket = floorTo(eventAt, BUCKET_MS);
      const buckets = inner(inner(changes, series), arrived);
      const known = buckets.get(bucket);
      if (known === undefined) buckets.set(bucket, { series, arrived, bucket, n });
      else known.n += n;
    },
    changes: () =>
      [...changes.values()]
        .flatMap((arrivals) => [...arrivals.values()].flatMap((buckets) => [...buckets.values()]))
        .filter((change) => change.n !== 0),
  };
}

function inner<Outer, Key, Value>(maps: Map<Outer, Map<Key, Value>>, key: Outer): Map<Key, Value> {
  let found = maps.get(key);
  if (found === undefined) {
    found = new Map();
    maps.set(key, found);
  }
  return found;
}

/**
 * The moment at which a mention is counted: its publication, or its `added` if it is dated later than that. It depends
 * on the mention alone, so that a mention that leaves a slice is subtracted where it was counted. `behindMs`: how far
 * the clock that stamped `added` runs behind ours. A mention without a date counts when it was added: sources that hide
 * dates send live mentions without them. The price: an import of old mentions without dates can look like a spike.
 */
export function countedAt(
  { publishedAt, addedAt }: Pick<Mention, "publishedAt" | "addedAt">,
  behindMs = 0,
): Instant {
  const added = addedAt + behindMs;
  return Math.min(publishedAt ?? added, added);
}
