import { floorTo, type Instant } from "../lib/instant.ts";
import { BUCKET_MS, type CountChange } from "../model/count-change.ts";

export interface Tally {
  /** `arrivedAt` and `eventAt` are put into their buckets. */
  add(series: string, arrivedAt: Instant, eventAt: Instant, n: number): void;
  /** One change a count; what cancels out is not a change. */
  changes(): CountChange[];
}

/** Sums single changes of counts into one change for each count. */
export function createTally(): Tally {
  const changes = new Map<string, CountChange & { n: number }>();
  return {
    add(series, arrivedAt, eventAt, n) {
      const arrived = floorTo(arrivedAt, BUCKET_MS);
      const bucket = floorTo(eventAt, BUCKET_MS);
      const key = `${series} ${arrived} ${bucket}`;
      const known = changes.get(key);
      if (known === undefined) changes.set(key, { series, arrived, bucket, n });
      else known.n += n;
    },
    changes: () => [...changes.values()].filter((change) => change.n !== 0),
  };
}
