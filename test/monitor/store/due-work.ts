import type { Instant } from "../../../src/lib/instant.ts";
import { BUCKET_MS } from "../../../src/monitor/model/judging.ts";
import type { Stores } from "../../../src/monitor/store/stores.ts";

/** All work that a sweep would find. */
export function dueWork(stores: Stores, now: Instant): ReturnType<Stores["dueWork"]["find"]> {
  return stores.dueWork.find({
    now,
    bucketMs: BUCKET_MS,
    liveReceivers: [],
    unplanned: ["account", "feeds"],
    ...{ mostPolls: 100, mostDeliveries: 100, mostEdits: 100 },
  });
}
