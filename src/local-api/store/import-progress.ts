import { sql } from "kysely";
import type { Database } from "./database.ts";

/** Lines of the file whose mentions are stored, by an import that did not reach its end; 0: none. */
export async function readImportProgress(db: Database, key: Buffer): Promise<number> {
  const { rows } = await sql<{ lines: string }>`
    select lines from local_api.import_progress where key = ${key}`.execute(db);
  return Number(rows[0]?.lines ?? 0);
}

/** In the transaction that stores the lines. */
export async function putImportProgress(db: Database, key: Buffer, lines: number): Promise<void> {
  await sql`
    insert into local_api.import_progress (key, lines) values (${key}, ${lines})
    on conflict (key) do update set lines = excluded.lines, at = clock_timestamp()`.execute(db);
}

export async function deleteImportProgress(db: Database, key: Buffer): Promise<void> {
  await sql`
    delete from local_api.import_progress where key = ${key} or at < clock_timestamp() - interval '90 days'`.execute(
    db,
  );
}
