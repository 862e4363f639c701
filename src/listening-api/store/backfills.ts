import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";

/** A look back over stored mentions for a query. */
export interface StoredBackfill {
  readonly id: number;
  readonly queryId: number;
  readonly from: Instant;
  readonly to: Instant;
  /** How many it found. */
  readonly mentions: number;
}

/** The latest first. */
export async function listBackfills(db: Database, queryId: number): Promise<StoredBackfill[]> {
  const { rows } = await sql<{ id: string; min_date: Date; max_date: Date; mentions: string }>`
    select id, min_date, max_date, mentions from local_api.backfill where query_id = ${queryId} order by id desc
  `.execute(db);
  return rows.map((row) => ({
    id: Number(row.id),
    queryId,
    from: row.min_date.getTime(),
    to: row.max_date.getTime(),
    mentions: Number(row.mentions),
  }));
}

export async function insertBackfill(
  db: Database,
  done: Omit<StoredBackfill, "id">,
): Promise<StoredBackfill> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.backfill (query_id, min_date, max_date, mentions)
    values (${done.queryId}, ${new Date(done.from)}, ${new Date(done.to)}, ${done.mentions}) returning id
  `.execute(db);
  return { id: Number(rows[0]?.id), ...done };
}
