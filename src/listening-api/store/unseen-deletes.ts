import { sql } from "kysely";
import type { Database } from "./database.ts";

/** Remembers deleted items and removed accounts of which nothing is stored; hashes are in hex. */
export async function putUnseenDeletes(
  db: Database,
  projectId: number,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    insert into local_api.unseen_delete (project_id, key)
    select distinct ${projectId}::bigint, decode(k, 'hex') from unnest(${keys}::text[]) k
    on conflict (project_id, key) do update set deleted_at = excluded.deleted_at`.execute(db);
}

/** Which of the items and accounts were deleted not long ago. */
export async function findUnseenDeletes(
  db: Database,
  projectId: number,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ key: string }>`
    select encode(key, 'hex') as key from local_api.unseen_delete
    where project_id = ${projectId} and key = any(select decode(k, 'hex') from unnest(${keys}::text[]) k)
  `.execute(db);
  return new Set(rows.map(({ key }) => key));
}

/** The accounts are there again: what they write from now on may be stored. */
export async function dropUnseenDeletes(
  db: Database,
  projectId: number,
  keys: readonly string[],
): Promise<void> {
  await sql`
    delete from local_api.unseen_delete
    where project_id = ${projectId} and key = any(select decode(k, 'hex') from unnest(${keys}::text[]) k)
  `.execute(db);
}

/** No host replays events of more than 36 hours ago. */
const UNSEEN_DELETES_FOR = sql`interval '48 hours'`;

export async function forgetUnseenDeletes(db: Database, projectId: number): Promise<void> {
  await sql`
    delete from local_api.unseen_delete
    where project_id = ${projectId} and deleted_at < now() - ${UNSEEN_DELETES_FOR}`.execute(db);
}
