import { sql } from "kysely";
import type { Database } from "./database.ts";
import { projectsThatExist } from "./shared-projects.ts";

export interface StoredQueryGroup {
  readonly id: number;
  readonly name: string;
  readonly shared: string;
  readonly sharedProjectIds: readonly number[];
  readonly queries: readonly { readonly id: number; readonly name: string }[];
  readonly user: { readonly id: number; readonly username: string } | null;
}

export async function listQueryGroups(db: Database, projectId: number): Promise<StoredQueryGroup[]> {
  const { rows } = await sql<GroupRow>`
    select g.id, g.name, g.shared, u.id as user_id, u.username,
      ${projectsThatExist(sql`g.shared_project_ids`)} as shared_project_ids,
      coalesce(jsonb_agg(jsonb_build_object('id', q.id, 'name', q.name) order by q.id)
        filter (where q.id is not null), '[]') as queries
    from local_api.query_group g
    left join local_api.api_user u on u.id = g.user_id
    left join local_api.query_group_member m on m.query_group_id = g.id
    left join local_api.query q on q.id = m.query_id
    where g.project_id = ${projectId} group by g.id, u.id order by g.id`.execute(db);
  return rows.map((row) => toGroup(projectId, row));
}

/** Creates the group if it is missing and adds the queries to it. Gives its id. */
export async function putQueryGroup(
  db: Database,
  group: {
    projectId: number;
    name: string;
    queryIds: readonly number[];
    /** The login that owns it. */
    userId?: number;
  },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.query_group (project_id, name, user_id)
    values (${group.projectId}, ${group.name}, ${group.userId ?? null})
    on conflict (project_id, name) do update
      set user_id = coalesce(excluded.user_id, query_group.user_id)
    returning id`.execute(db);
  const id = Number(rows[0]?.id);
  await sql`
    insert into local_api.query_group_member (query_group_id, query_id)
    select ${id}, unnest(${group.queryIds}::bigint[]) on conflict do nothing`.execute(db);
  return id;
}

export interface QueryGroupSettings {
  readonly name: string;
  readonly queryIds: readonly number[];
  readonly shared: string;
  readonly sharedProjectIds: readonly number[];
}

/**
 * Makes a group, or changes the one with the id, with exactly these queries. Throws PostgreSQL's unique violation
 * where the project has another one of that name.
 */
export async function saveQueryGroup(
  db: Database,
  {
    projectId,
    userId,
    id,
    ownerId,
  }: {
    projectId: number;
    /** Owns a new group. */
    userId: number | null;
    id?: number | undefined;
    /** Owns the changed group from now on. */
    ownerId?: number | undefined;
  },
  group: QueryGroupSettings,
): Promise<number> {
  const { rows } =
    id === undefined
      ? await sql<{ id: string }>`
          insert into local_api.query_group (project_id, name, user_id, shared, shared_project_ids)
          values (${projectId}, ${group.name}, ${userId}, ${group.shared}, ${group.sharedProjectIds}::bigint[])
          returning id`.execute(db)
      : await sql<{ id: string }>`
          update local_api.query_group set name = ${group.name}, shared = ${group.shared},
            shared_project_ids = ${group.sharedProjectIds}::bigint[],
            user_id = coalesce(${ownerId ?? null}, user_id)
          where id = ${id} returning id`.execute(db);
  const groupId = Number(rows[0]?.id);
  await sql`delete from local_api.query_group_member where query_group_id = ${groupId}`.execute(db);
  await sql`
    insert into local_api.query_group_member (query_group_id, query_id)
    select ${groupId}, unnest(${group.queryIds}::bigint[])`.execute(db);
  return groupId;
}

interface GroupRow {
  id: string;
  name: string;
  shared: string;
  shared_project_ids: string[];
  user_id: string | null;
  username: string | null;
  queries: { id: number; name: string }[];
}

function toGroup(projectId: number, row: GroupRow): StoredQueryGroup {
  const { user_id: userId, username } = row;
  return {
    id: Number(row.id),
    name: row.name,
    shared: row.shared,
    sharedProjectIds: row.shared_project_ids.length === 0 ? [projectId] : row.shared_project_ids.map(Number),
    queries: row.queries,
    user: userId === null || username === null ? null : { id: Number(userId), username },
  };
}
