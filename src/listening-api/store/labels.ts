import { sql } from "kysely";
import { groupBy } from "../../lib/group-by.ts";
import { storableJson } from "../../lib/json.ts";
import type { LabelRule, StoredCategory, StoredTag } from "../records/labels.ts";
import type { Database } from "./database.ts";

export async function listTags(db: Database, projectId: number): Promise<StoredTag[]> {
  const { rows } = await sql<{ id: string; name: string; rules: LabelRule[] }>`
    select id, name, rules from local_api.tag where project_id = ${projectId} order by id`.execute(db);
  return rows.map((row) => ({ id: Number(row.id), name: row.name, rules: row.rules }));
}

/** Changes when a tag or category of the project is made, renamed or deleted. */
export async function labelsRevision(db: Database, projectId: number): Promise<string> {
  const { rows } = await sql<{ revision: string }>`
    select concat(
      (select md5(string_agg(concat_ws(' ', id, name), E'\n' order by id))
        from local_api.tag where project_id = ${projectId}),
      (select md5(string_agg(concat_ws(' ', id, parent_id, name), E'\n' order by id))
        from local_api.category where project_id = ${projectId})) as revision`.execute(db);
  return rows[0]?.revision ?? "";
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
    values (${projectId}, ${tag.name}, ${storableJson(tag.rules)}::jsonb) returning id`.execute(db);
  return Number(rows[0]?.id);
}

export async function updateTag(db: Database, id: number, tag: Omit<StoredTag, "id">): Promise<void> {
  await sql`
    update local_api.tag set name = ${tag.name}, rules = ${storableJson(tag.rules)}::jsonb
    where id = ${id}`.execute(db);
}

export async function listCategories(db: Database, projectId: number): Promise<StoredCategory[]> {
  const { rows } = await sql<CategoryRow>`
    select id, parent_id, name, multiple, ordering, rules from local_api.category
    where project_id = ${projectId} order by ordering, id`.execute(db);
  const children = groupBy(rows, (row) => row.parent_id);
  return (children.get(null) ?? []).map((parent) => toCategory(parent, children.get(parent.id) ?? []));
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

export interface CategorySettings {
  readonly name: string;
  readonly multiple: boolean;
  /** In their order. Without an id: the one of that name, or a new one. */
  readonly children: readonly {
    readonly id?: number | undefined;
    readonly name: string;
    readonly rules?: readonly LabelRule[] | undefined;
  }[];
}

/**
 * Makes a parent category, or changes the one with the id, with exactly these children: others are deleted. Throws
 * PostgreSQL's unique violation where the project has another one of that name.
 */
export async function saveCategory(
  db: Database,
  projectId: number,
  { name, multiple, children }: CategorySettings,
  current?: StoredCategory,
): Promise<number> {
  const { rows } =
    current === undefined
      ? await sql<{ id: string }>`
          insert into local_api.category (project_id, parent_id, name, multiple)
          values (${projectId}, null, ${name}, ${multiple}) returning id`.execute(db)
      : await sql<{ id: string }>`
          update local_api.category set name = ${name}, multiple = ${multiple}
          where id = ${current.id} returning id`.execute(db);
  const parentId = Number(rows[0]?.id);
  const known = current?.children ?? [];
  const named = new Set(children.flatMap(({ id }) => id ?? []));
  const specs = children.map((child) => {
    const same = known.find(({ id, name: given }) =>
      child.id === undefined ? given === child.name && !named.has(id) : id === child.id,
    );
    return { ...child, id: same?.id, rules: child.rules ?? same?.rules ?? [] };
  });
  const kept = specs.flatMap(({ id }) => id ?? []);
  await sql`
    delete from local_api.category where parent_id = ${parentId} and id <> all(${kept}::bigint[])
  `.execute(db);
  // They may take each other's names: each gives up its own first.
  await sql`
    update local_api.category set name = gen_random_uuid()::text where parent_id = ${parentId}`.execute(db);
  for (const [ordering, { id, name: child, rules }] of specs.entries()) {
    const asJson = storableJson(rules);
    if (id === undefined)
      await sql`
        insert into local_api.category (project_id, parent_id, name, ordering, rules)
        values (${projectId}, ${parentId}, ${child}, ${ordering}, ${asJson}::jsonb)`.execute(db);
    else
      await sql`
        update local_api.category set name = ${child}, ordering = ${ordering}, rules = ${asJson}::jsonb
        where id = ${id}`.execute(db);
  }
  return parentId;
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
  rules: LabelRule[];
}

function toCategory(parent: CategoryRow, children: readonly CategoryRow[]): StoredCategory {
  return {
    id: Number(parent.id),
    name: parent.name,
    multiple: parent.multiple,
    children: children.map((row) => ({
      ...{ id: Number(row.id), name: row.name },
      ...{ ordering: row.ordering, rules: row.rules },
    })),
  };
}
