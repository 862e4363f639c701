import type { Clock } from "../lib/clock.ts";
import { DAY } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import type { Database } from "../store/database.ts";
import { dropPartitionsBefore, ensurePartitions } from "../store/partitions.ts";
import type { Stores } from "../store/stores.ts";

/** Voices of so long ago are in no window any more; values that come back after so long may be called new. */
const DISTINCT_AUTHORS_FOR_MS = 7 * DAY;
const VALUES_FOR_MS = 400 * DAY;

/** Makes room for the months to come, and lets go of what is older than anybody looks at. */
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
