import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";
import { visibleSql } from "./mention-range.ts";

export interface QueryVolume {
  readonly mentions: number;
  readonly newestAt: Instant | null;
}

/** How much the service shows of each query at the moment; without one, how much is stored of each. */
export async function readQueryVolumes(
  db: Database,
  queryIds: readonly number[],
  at?: Instant,
): Promise<Map<number, QueryVolume>> {
  const { rows } = await sql<{ query_id: string; mentions: string; newest: Date | null }>`
    select query_id, count(*) as mentions, max(date) as newest from local_api.mention
    where query_id = any(${queryIds}::bigint[]) 
      and ${at === undefined ? sql`superseded_at = 'infinity'` : visibleSql(at)} group by query_id`.execute(
    db,
  );
  return new Map(
    rows.map((row) => [
      Number(row.query_id),
      { mentions: Number(row.mentions), newestAt: row.newest?.getTime() ?? null },
    ]),
  );
}
