import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { DISTINCT_AUTHORS_FOR_MS, VALUES_FOR_MS } from "../model/judging.ts";
import type { Db } from "./database.ts";
import { dropPartitionsBefore, ensurePartitions } from "./partitions.ts";
import type { Stores } from "./stores.ts";

/** Creates partitions for the months to come, and deletes what is older than the retention. */
export async function pruneTables(parts: {
  readonly db: Db;
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
  await stores.rooms.forgetBefore(now - retentionMs);
  await stores.alertMessages.forget();
  await stores.interactions.forget();
  if (dropped.length > 0) log.info({ dropped }, "months beyond the retention were dropped");
}
