import { type RawBuilder, sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import { storableText } from "../../lib/text.ts";
import type { MentionRecord } from "../records/mention-record.ts";
import { type Database, rowsAtATime } from "./database.ts";

/**
 * Stored records contain the names of queries, tags and categories besides their ids. A new name replaces the old one
 * in all of them, inside the caller's transaction. `updated` stays: the mention did not change, and clients that poll
 * by update would read every mention of the label again.
 */
export async function renameQueryInRecords(
  db: Database,
  id: number,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await lockQueriesOf(db, sql`id = ${id}`);
  // Inside a JSON string these quotation marks would be escaped: so this can only be the field.
  const [old, made] = [from, storableText(to)].map((name) => `"queryName":${storableJson(name)}`);
  await sql`
    update local_api.mention
    set filled_fields = overlay(filled_fields placing ${made} from position(${old} in filled_fields) for length(${old}))
    where query_id = ${id} and position(${old} in filled_fields) > 0`.execute(db);
}

export async function renameTagInRecords(
  db: Database,
  projectId: number,
  { id, from, to }: { id: number; from: string; to: string },
): Promise<void> {
  const name = storableText(to);
  await changeRecords(db, projectId, sql`tags @> array[${id}::bigint]`, ({ tags, ...record }) => ({
    ...record,
    tags: tags && [...new Set(tags.map((tag) => (tag === from ? name : tag)))],
  }));
}

/** A tag that is deleted: out of the records, and out of what its filter finds. */
export async function removeTagFromRecords(
  db: Database,
  projectId: number,
  { id, name }: { id: number; name: string },
): Promise<void> {
  await changeRecords(db, projectId, sql`tags @> array[${id}::bigint]`, ({ tags, ...record }) => ({
    ...record,
    tags: tags?.filter((tag) => tag !== name),
  }));
  await sql`
    update local_api.mention set tags = array_remove(tags, ${id}::bigint)
    where query_id in (select id from local_api.query where project_id = ${projectId})
      and tags @> array[${id}::bigint]`.execute(db);
  // Stored totals counted by the tag.
  await sql`update local_api.query set revision = revision + 1 where project_id = ${projectId}`.execute(db);
}

/** A parent with its children, as they are now. */
export async function renameCategoryInRecords(
  db: Database,
  projectId: number,
  { id, name, children }: { id: number; name: string; children: readonly { id: number; name: string }[] },
): Promise<void> {
  const names = new Map(children.map((child) => [String(child.id), child.name]));
  await changeRecords(db, projectId, sql`parent_categories @> array[${id}::bigint]`, (record) => ({
    ...record,
    categoryDetails: record.categoryDetails?.map((detail) =>
      detail.parentId === String(id)
        ? { ...detail, name: names.get(detail.id) ?? detail.name, parentName: name }
        : detail,
    ),
  }));
}

const AT_A_TIME = 1_000;

interface Row {
  query_id: string;
  resource_id: string;
  version: number;
  date: Date;
  filled_fields: string;
}

type Fields = Partial<MentionRecord>;

/** Of all versions. The empty fields stay empty: the shape is the same. */
async function changeRecords(
  db: Database,
  projectId: number,
  which: RawBuilder<boolean>,
  change: (fields: Fields) => object,
): Promise<void> {
  await lockQueriesOf(db, sql`project_id = ${projectId}`);
  const select = sql<Row>`
    select query_id, resource_id, version, date, filled_fields from local_api.mention
    where query_id in (select id from local_api.query where project_id = ${projectId}) and ${which}`;
  for await (const rows of rowsAtATime(db, select, AT_A_TIME)) {
    const changed = rows.map((row) =>
      JSON.stringify(change(JSON.parse(`${row.filled_fields}}`) as Fields)).slice(0, -1),
    );
    await sql`
      update local_api.mention m set filled_fields = given.filled_fields
      from unnest(
        ${rows.map((row) => row.query_id)}::bigint[], ${rows.map((row) => row.resource_id)}::text[],
        ${rows.map((row) => row.version)}::integer[], ${rows.map((row) => row.date)}::timestamptz[],
        ${changed}::text[]) as given (query_id, resource_id, version, date, filled_fields)
      where m.query_id = given.query_id and m.resource_id = given.resource_id and m.version = given.version
        and m.date = given.date`.execute(db);
  }
}

/** As every writer of mentions does first, in the order of the ids. */
async function lockQueriesOf(db: Database, which: RawBuilder<boolean>): Promise<void> {
  await sql`select id from local_api.query where ${which} order by id for no key update`.execute(db);
}
