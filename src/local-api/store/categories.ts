import { sql } from "kysely";
import type { Database } from "./database.ts";

export interface StoredCategory {
  readonly id: number;
  readonly name: string;
  readonly multiple: boolean;
  readonly children: readonly { readonly id: number; readonly name: string; readonly ordering: number }[];
}

export async function listCategories(db: Database, projectId: number): Promise<StoredCategory[]> {
  const { rows } = await sql<CategoryRow>`
    select id, parent_id, name, multiple, ordering from local_api.category
    where project_id = ${projectId} order by ordering, id`.execute(db);
  return rows.filter((row) => row.parent_id === null).map((parent) => toCategory(parent, rows));
}

/** Creates what is missing of one parent category and gives it with all its children. */
export async function putCategory(
  db: Database,
  projectId: number,
  category: { name: string; children: readonly string[] },
): Promise<StoredCategory> {
  const parentId = await putOne(db, { projectId, parentId: null, name: category.name, ordering: 0 });
  for (const [ordering, name] of category.children.entries()) {
    await putOne(db, { projectId, parentId, name, ordering });
  }
  const stored = (await listCategories(db, projectId)).find((candidate) => candidate.id === parentId);
  if (stored === undefined) throw new Error(`category ${parentId} vanished while it was created`);
  return stored;
}

async function putOne(
  db: Database,
  row: { projectId: number; parentId: number | null; name: string; ordering: number },
): Promise<number> {
  await sql`
    insert into local_api.category (project_id, parent_id, name, ordering)
    values (${row.projectId}, ${row.parentId}, ${row.name}, ${row.ordering})
    on conflict (project_id, parent_id, name) do nothing`.execute(db);
  const { rows } = await sql<{ id: string }>`
    select id from local_api.category where project_id = ${row.projectId}
      and parent_id is not distinct from ${row.parentId} and name = ${row.name}`.execute(db);
  return Number(rows[0]?.id);
}

interface CategoryRow {
  id: string;
  parent_id: string | null;
  name: string;
  multiple: boolean;
  ordering: number;
}

function toCategory(parent: CategoryRow, rows: readonly CategoryRow[]): StoredCategory {
  return {
    id: Number(parent.id),
    name: parent.name,
    multiple: parent.multiple,
    children: rows
      .filter((row) => row.parent_id === parent.id)
      .map((row) => ({ id: Number(row.id), name: row.name, ordering: row.ordering })),
  };
}
