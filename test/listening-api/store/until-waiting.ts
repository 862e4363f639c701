import type { DatabasePool } from "../../../src/listening-api/store/database.ts";
import { until } from "../../until.ts";

/** Until so many statements in the database of the pool wait for a lock. */
export function untilWaiting(pool: DatabasePool, count: number): Promise<void> {
  return until(
    `${count} wait for a lock`,
    async () => {
      const { rows } = await pool.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      return rows.length === count;
    },
    { withinMs: 10_000 },
  );
}
