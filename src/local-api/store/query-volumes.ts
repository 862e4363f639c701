import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";
import { visibleSql } from "./mention-range.ts";

export interface QueryVolume {
  readonly mentions: number;
  readonly newestAt: Instant | null;
}

/** Whether any query of the project has a mention. */
export async function hasMentions(db: Database, projectId: number): Promise<boolean> {
  const { rows } = await sql`
    select from local_api.query q where q.project_id = ${projectId}
      and exists (select from local_api.mention m where m.query_id = q.id) limit 1`.execute(db);
  return rows.length > 0;
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
