import { sql } from "kysely";
import type { Database } from "./database.ts";

export interface StoredTag {
  readonly id: number;
  readonly name: string;
}

export async function listTags(db: Database, projectId: number): Promise<StoredTag[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from local_api.tag where project_id = ${projectId} order by id`.execute(db);
  return rows.map((row) => ({ id: Number(row.id), name: row.name }));
}

/** Makes sure that the project has a tag of that name, and gives its id. */
export async function putTag(db: Database, projectId: number, name: string): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.tag (project_id, name) values (${projectId}, ${name})
    on conflict (project_id, name) do update set name = excluded.name returning id`.execute(db);
  return Number(rows[0]?.id);
}
