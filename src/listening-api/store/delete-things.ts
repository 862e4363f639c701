import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";
import { lockQueries } from "./queries.ts";
import { lockWriting, projectsOfQueries } from "./write-order.ts";

/** What a deletion of mentions is about: all that is given has to fit. */
interface MentionSelection {
  readonly queryIds: readonly number[];
  readonly resourceIds?: readonly string[];
  /** Of the mention's own date: from (included) … */
  readonly from?: Instant;
  /** … to (not included). */
  readonly to?: Instant;
}

/**
 * Deletes all versions of the mentions; returns the number of mentions. Stored totals of the queries that had them become
 * outdated; what is said to have changed is polled, so no others. In a transaction of
 * its own it takes its turn among the writers first; a caller's transaction has done so.
 */
export async function deleteMentions(db: Database, which: MentionSelection): Promise<number> {
  if (!db.isTransaction)
    return db.transaction().execute(async (own) => {
      await lockWriting(own, await projectsOfQueries(own, which.queryIds));
      return deleteMentions(own, which);
    });
  await lockQueries(db, which.queryIds);
  const { resourceIds, from, to } = which;
  const { rows } = await sql<{ mentions: string }>`
    with gone as (
      delete from local_api.mention where query_id = any(${which.queryIds}::bigint[])
        and ${resourceIds === undefined ? sql`true` : sql`resource_id = any(${resourceIds}::text[])`}
        and ${from === undefined ? sql`true` : sql`date >= ${new Date(from)}`}
        and ${to === undefined ? sql`true` : sql`date < ${new Date(to)}`}
      returning query_id, resource_id),
    outdated as (
      update local_api.query set revision = revision + 1 where id in (select query_id from gone))
    select count(distinct (query_id, resource_id)) as mentions from gone`.execute(db);
  return Number(rows[0]?.mentions ?? 0);
}

/** With their mentions, date ranges and backfills, and out of their groups; a group goes with the last of its queries. */
export async function deleteQueries(db: Database, ids: readonly number[]): Promise<void> {
  await sql`delete from local_api.mention where query_id = any(${ids}::bigint[])`.execute(db);
  await sql`
    with out as (
      delete from local_api.query_group_member where query_id = any(${ids}::bigint[]) returning query_group_id)
    delete from local_api.query_group g where g.id in (select query_group_id from out)
      and not exists (select from local_api.query_group_member m
        where m.query_group_id = g.id and m.query_id <> all(${ids}::bigint[]))`.execute(db);
  await sql`delete from local_api.query where id = any(${ids}::bigint[])`.execute(db);
}

export async function deleteQueryGroup(db: Database, id: number): Promise<void> {
  await sql`delete from local_api.query_group_member where query_group_id = ${id}`.execute(db);
  await sql`delete from local_api.query_group where id = ${id}`.execute(db);
}

/** A parent with its children. Mentions keep the ids, as they do at the live service. */
export async function deleteCategory(db: Database, id: number): Promise<void> {
  await sql`delete from local_api.category where parent_id = ${id}`.execute(db);
  await sql`delete from local_api.category where id = ${id}`.execute(db);
}

export async function deleteTag(db: Database, id: number): Promise<void> {
  await sql`delete from local_api.tag where id = ${id}`.execute(db);
}

export async function deleteSavedList(db: Database, id: number): Promise<void> {
  await sql`delete from local_api.saved_list where id = ${id}`.execute(db);
}

/**
 * With everything in it. Takes its turn among the writers, so that no two of them wait for each other; then nothing new comes
 * into it, such as a query that an import makes.
 */
export async function deleteProject(db: Database, id: number): Promise<void> {
  await lockWriting(db, [id]);
  await sql`select from local_api.project where id = ${id} for update`.execute(db);
  const { rows } = await sql<{ id: string }>`
    select id from local_api.query where project_id = ${id}`.execute(db);
  await deleteQueries(
    db,
    rows.map((row) => Number(row.id)),
  );
  await sql`delete from local_api.query_group where project_id = ${id}`.execute(db);
  await sql`delete from local_api.rule where project_id = ${id}`.execute(db);
  await sql`delete from local_api.signal_group where project_id = ${id}`.execute(db);
  await sql`delete from local_api.category where project_id = ${id} and parent_id is not null`.execute(db);
  await sql`delete from local_api.category where project_id = ${id}`.execute(db);
  await sql`delete from local_api.tag where project_id = ${id}`.execute(db);
  await sql`delete from local_api.stream_hour where project_id = ${id}`.execute(db);
  await sql`delete from local_api.received_item where project_id = ${id}`.execute(db);
  await sql`delete from local_api.project where id = ${id}`.execute(db);
}

/** With its projects and lists. Logins stay, without the client. */
export async function deleteClient(db: Database, id: number): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from local_api.project where client_id = ${id}`.execute(db);
  for (const row of rows) await deleteProject(db, Number(row.id));
  // Its programs call until it is gone, and each call is a row of it.
  await sql`select from local_api.client where id = ${id} for update`.execute(db);
  await sql`delete from local_api.saved_list where client_id = ${id}`.execute(db);
  await sql`delete from local_api.token where client_id = ${id}`.execute(db);
  await sql`delete from local_api.api_call where client_id = ${id}`.execute(db);
  await sql`delete from local_api.membership where client_id = ${id}`.execute(db);
  await sql`delete from local_api.client where id = ${id}`.execute(db);
}

/** With the lists that it owns; its query groups stay without an owner. */
export async function deleteUser(db: Database, id: number): Promise<void> {
  // It gets no token meanwhile.
  await sql`select from local_api.api_user where id = ${id} for update`.execute(db);
  await sql`update local_api.query_group set user_id = null where user_id = ${id}`.execute(db);
  await sql`delete from local_api.saved_list where user_id = ${id}`.execute(db);
  await sql`delete from local_api.token where user_id = ${id}`.execute(db);
  await sql`delete from local_api.membership where user_id = ${id}`.execute(db);
  await sql`delete from local_api.api_user where id = ${id}`.execute(db);
}
