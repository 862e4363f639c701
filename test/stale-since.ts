import { sql } from "kysely";
import type { Instant } from "../src/lib/instant.ts";
import type { Db } from "../src/monitor/store/database.ts";

/** Since when something waits to be counted, on the database's clock; null if all is counted. */
export async function staleSince(db: Db): Promise<Instant | null> {
  const { rows } = await sql<{ since: Instant | null }>`
    select min(since_wall) as since from earshot.stale_counts where since_wall > '-infinity'`.execute(db);
  return rows[0]?.since ?? null;
}
