import { sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import type { Database } from "./database.ts";

/** Who is to be notified of what is unusual in which queries. */
export interface StoredSignalGroup extends SignalGroupSettings {
  readonly id: number;
}

export interface SignalGroupSettings {
  readonly name: string;
  readonly queryIds: readonly number[];
  readonly includeTagIds: readonly number[];
  readonly excludeTagIds: readonly number[];
  /** Categories and subcategories. */
  readonly includeCategoryIds: readonly number[];
  readonly excludeCategoryIds: readonly number[];
  readonly subscribers: readonly Subscriber[];
}

export type Subscriber = {
  readonly emailAddress: string;
  /** 1: all signals, 2: those of medium and high priority, 3: those of high priority. */
  readonly notificationThreshold: number;
};

export async function listSignalGroups(db: Database, projectId: number): Promise<StoredSignalGroup[]> {
  const { rows } = await sql<SignalGroupRow>`
    select id, name, query_ids, include_tag_ids, exclude_tag_ids, include_category_ids, exclude_category_ids, subscribers
    from local_api.signal_group where project_id = ${projectId} order by id`.execute(db);
  return rows.map((row) => ({
    id: Number(row.id),
    name: row.name,
    queryIds: row.query_ids.map(Number),
    includeTagIds: row.include_tag_ids.map(Number),
    excludeTagIds: row.exclude_tag_ids.map(Number),
    includeCategoryIds: row.include_category_ids.map(Number),
    excludeCategoryIds: row.exclude_category_ids.map(Number),
    subscribers: row.subscribers,
  }));
}

/** Makes a group, or changes the one with the id. Throws PostgreSQL's unique violation where the name is taken. */
export async function saveSignalGroup(
  db: Database,
  projectId: number,
  group: SignalGroupSettings,
  id?: number,
): Promise<number> {
  const subscribers = storableJson(group.subscribers);
  const { rows } =
    id === undefined
      ? await sql<{ id: string }>`
          insert into local_api.signal_group (project_id, name, query_ids, include_tag_ids, exclude_tag_ids,
            include_category_ids, exclude_category_ids, subscribers)
          values (${projectId}, ${group.name}, ${group.queryIds}::bigint[], ${group.includeTagIds}::bigint[],
            ${group.excludeTagIds}::bigint[], ${group.includeCategoryIds}::bigint[],
            ${group.excludeCategoryIds}::bigint[], ${subscribers}::jsonb) returning id`.execute(db)
      : await sql<{ id: string }>`
          update local_api.signal_group set name = ${group.name}, query_ids = ${group.queryIds}::bigint[],
            include_tag_ids = ${group.includeTagIds}::bigint[], exclude_tag_ids = ${group.excludeTagIds}::bigint[],
            include_category_ids = ${group.includeCategoryIds}::bigint[],
            exclude_category_ids = ${group.excludeCategoryIds}::bigint[], subscribers = ${subscribers}::jsonb
          where id = ${id} returning id`.execute(db);
  return Number(rows[0]?.id);
}

export async function deleteSignalGroup(db: Database, id: number): Promise<void> {
  await sql`delete from local_api.signal_group where id = ${id}`.execute(db);
}

interface SignalGroupRow {
  id: string;
  name: string;
  query_ids: string[];
  include_tag_ids: string[];
  exclude_tag_ids: string[];
  include_category_ids: string[];
  exclude_category_ids: string[];
  subscribers: Subscriber[];
}
