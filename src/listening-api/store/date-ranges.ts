import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";

/** A time that somebody has given a name, for the charts of a query. */
export interface StoredDateRange extends DateRangeSettings {
  readonly id: number;
  readonly queryId: number;
}

export interface DateRangeSettings {
  readonly name: string;
  readonly from: Instant;
  /** Not included. */
  readonly to: Instant;
}

/** Of one query, or of all queries of the project. */
export async function listDateRanges(
  db: Database,
  which: { readonly projectId: number; readonly queryId?: number | undefined },
): Promise<StoredDateRange[]> {
  const ofQuery = which.queryId === undefined ? sql`true` : sql`q.id = ${which.queryId}`;
  const { rows } = await sql<{ id: string; query_id: string; name: string; start_at: Date; end_at: Date }>`
    select r.id, r.query_id, r.name, r.start_at, r.end_at
    from local_api.date_range r join local_api.query q on q.id = r.query_id
    where q.project_id = ${which.projectId} and ${ofQuery} order by r.id`.execute(db);
  return rows.map((row) => ({
    id: Number(row.id),
    queryId: Number(row.query_id),
    name: row.name,
    from: row.start_at.getTime(),
    to: row.end_at.getTime(),
  }));
}

/** Makes a range, or changes the one with the id. Throws PostgreSQL's unique violation where the name is taken. */
export async function saveDateRange(
  db: Database,
  queryId: number,
  { name, from, to }: DateRangeSettings,
  id?: number,
): Promise<number> {
  const [start, end] = [new Date(from), new Date(to)];
  const { rows } =
    id === undefined
      ? await sql<{ id: string }>`
          insert into local_api.date_range (query_id, name, start_at, end_at)
          values (${queryId}, ${name}, ${start}, ${end}) returning id`.execute(db)
      : await sql<{ id: string }>`
          update local_api.date_range set name = ${name}, start_at = ${start}, end_at = ${end}
          where id = ${id} returning id`.execute(db);
  return Number(rows[0]?.id);
}

/** The query has exactly these afterwards; one that keeps its name keeps its id. */
export async function putDateRanges(
  db: Database,
  queryId: number,
  ranges: readonly DateRangeSettings[],
): Promise<void> {
  const names = ranges.map(({ name }) => name);
  await sql`
    delete from local_api.date_range where query_id = ${queryId} and name <> all(${names}::text[])
  `.execute(db);
  for (const { name, from, to } of ranges)
    await sql`
      insert into local_api.date_range (query_id, name, start_at, end_at)
      values (${queryId}, ${name}, ${new Date(from)}, ${new Date(to)})
      on conflict (query_id, name) do update set start_at = excluded.start_at, end_at = excluded.end_at
    `.execute(db);
}

export async function deleteDateRange(db: Database, id: number): Promise<void> {
  await sql`delete from local_api.date_range where id = ${id}`.execute(db);
}
