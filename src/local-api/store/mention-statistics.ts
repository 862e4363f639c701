import { sql } from "kysely";
import type { Database } from "./database.ts";

/** After a large write, so that the planner takes the index at once instead of when autovacuum comes by. */
export async function refreshMentionStatistics(db: Database): Promise<void> {
  await sql`analyze local_api.mention`.execute(db);
}
