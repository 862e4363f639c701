import { sql } from "kysely";
import type { Clock } from "../../lib/clock.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { DISTINCT_AUTHORS_FOR_MS, VALUES_FOR_MS } from "../model/judging.ts";
import { at, type Db } from "./database.ts";
import { deleteRestBefore, dropPartitionsBefore, ensurePartitions } from "./partitions.ts";
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
  await deleteRestBefore(db, now - retentionMs);
  for (const statement of deletesBefore(now - retentionMs)) await statement.execute(db);
  await stores.distinctAuthors.forgetBefore(now - DISTINCT_AUTHORS_FOR_MS);
  await stores.values.forgetBefore(now - VALUES_FOR_MS);
  await stores.alertMessages.forget();
  await stores.interactions.forget();
  if (dropped.length > 0) log.info({ dropped }, "months beyond the retention were dropped");
}

/**
 * Tables without months that have words of mentions, names or addresses. A request to forget finds what is to be
 * forgotten by the stored mentions, so nothing that is made of them may be kept for longer.
 */
function deletesBefore(before: Instant): ReturnType<typeof sql>[] {
  return [
    sql`delete from earshot.digests where period_to < ${at(before)}`,
    sql`delete from earshot.silences where ends_at < ${at(before)}`,
    sql`delete from earshot.held_rules where resumed_at < ${at(before)}`,
    sql`delete from earshot.outages where to_at < ${at(before)}`,
    sql`delete from earshot.inbox where received_at < ${at(before)}`,
    sql`delete from earshot.inbox_files where received_at < ${at(before)}`,
    // These end on the machine's clock, which a demo leaves behind.
    sql`delete from earshot.rooms where until < ${at(before)} and until < now()`,
    sql`delete from earshot.access_tokens where until < ${at(before)} and until < now()`,
    sql`delete from earshot.one_time_codes where until < ${at(before)} and until < now()`,
  ];
}
