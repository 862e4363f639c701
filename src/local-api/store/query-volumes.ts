import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";

export interface QueryVolume {
  /** Different mentions, whichever version of them is shown. */
  readonly mentions: number;
  readonly newestAt: Instant | null;
}

/** How much there is in each query that was asked for. */
export async function readQueryVolumes(
  db: Database,
  queryIds: readonly number[],
): Promise<Map<number, QueryVolume>> {
  const { rows } = await sql<{ query_id: string; mentions: string; newest: Date | null }>`
    select query_id, count(*) as mentions, max(date) as newest from local_api.mention
    where query_id = any(${queryIds}::bigint[]) and superseded_at = 'infinity' group by query_id`.execute(db);
  return new Map(
    rows.map((row) => [
      Number(row.query_id),
      { mentions: Number(row.mentions), newestAt: row.newest?.getTime() ?? null },
    ]),
  );
}
