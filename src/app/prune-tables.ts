import type { Clock } from "../lib/clock.ts";
import { DAY } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import type { Database } from "../store/database.ts";
import { dropPartitionsBefore, ensurePartitions } from "../store/partitions.ts";
import type { Stores } from "../store/stores.ts";

/** Authors of that long ago are in no window any more; values that come back after that long may count as new. */
const DISTINCT_AUTHORS_FOR_MS = 7 * DAY;
const VALUES_FOR_MS = 400 * DAY;

/** Creates partitions for the months to come, and deletes what is older than the retention. */
export async function pruneTables(parts: {
  readonly db: Database["db"];
  readonly stores: Stores;
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<void> {
  const { db, stores, retentionMs, clock, log } = parts;
  const now = clock.now();
  await ensurePartitions(db, now);
  const dropped = await dropPartitionsBefore(db, now - retentionMs);
  await stores.distinctAuthors.forgetBefore(now - DISTINCT_AUTHORS_FOR_MS);
  await stores.values.forgetBefore(now - VALUES_FOR_MS);
  await stores.alertMessages.forget();
  await stores.interactions.forget();
  if (dropped.length > 0) log.info({ dropped }, "months beyond the retention were dropped");
}
