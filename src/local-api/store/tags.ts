import { sql } from "kysely";
import type { JsonValue } from "../../lib/json.ts";
import type { Database } from "./database.ts";

export interface StoredTag {
  readonly id: number;
  readonly name: string;
  readonly rules: readonly LabelRule[];
}

/** A search or filters, by the names of the mention filters; mentions that meet them all get the label. */
export type LabelRule = {
  readonly filter: Readonly<Record<string, JsonValue>>;
};

export async function listTags(db: Database, projectId: number): Promise<StoredTag[]> {
  const { rows } = await sql<{ id: string; name: string; rules: LabelRule[] }>`
    select id, name, rules from local_api.tag where project_id = ${projectId} order by id`.execute(db);
  return rows.map((row) => ({ id: Number(row.id), name: row.name, rules: row.rules }));
}

/** Makes sure that the project has a tag of that name, and gives its id. */
export async function putTag(db: Database, projectId: number, name: string): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.tag (project_id, name) values (${projectId}, ${name})
    on conflict (project_id, name) do update set name = excluded.name returning id`.execute(db);
  return Number(rows[0]?.id);
}

/** Makes a tag. Throws PostgreSQL's unique violation where the project has one of that name. */
export async function insertTag(
  db: Database,
  projectId: number,
  tag: Omit<StoredTag, "id">,
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.tag (project_id, name, rules)
    values (${projectId}, ${tag.name}, ${JSON.stringify(tag.rules)}::jsonb) returning id`.execute(db);
  return Number(rows[0]?.id);
}

export async function updateTag(db: Database, id: number, tag: Omit<StoredTag, "id">): Promise<void> {
  await sql`
    update local_api.tag set name = ${tag.name}, rules = ${JSON.stringify(tag.rules)}::jsonb
    where id = ${id}`.execute(db);
}
