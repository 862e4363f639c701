import { type Kysely, sql } from "kysely";

/** Groups cross queries, and a message that tells of many alerts is found from each of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The query is part of a group's key where its route says so; what was noted before means nothing any more.
  await sql`truncate earshot.group_flushes`.execute(db);
  await sql`alter table earshot.group_flushes drop constraint group_flushes_pkey`.execute(db);
  await sql`alter table earshot.group_flushes drop column query_id`.execute(db);
  await sql`alter table earshot.group_flushes add primary key (project_id, receiver, key)`.execute(db);
  await sql`
    create index notifications_also on earshot.notifications using gin (also jsonb_path_ops) where also is not null
  `.execute(db);
  await sql`create index notifications_due_of on earshot.notifications (receiver) where state = 'due'`.execute(
    db,
  );
}
