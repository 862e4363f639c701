import { type Kysely, sql } from "kysely";

/** What people do about alerts: care, silences; and messages that tell of several alerts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table earshot.alerts add column care jsonb not null default '{}'`.execute(db);
  await sql`alter table earshot.notifications add column also jsonb`.execute(db);
  await sql`
    create table earshot.silences (
      id uuid primary key,
      match jsonb not null,
      author text not null,
      comment text not null,
      created_at timestamptz not null,
      starts_at timestamptz not null,
      ends_at timestamptz not null,
      windows jsonb not null,
      ended_by text
    )`.execute(db);
  await sql`create index silences_by_end on earshot.silences (ends_at)`.execute(db);
  await sql`
    create table earshot.group_flushes (
      project_id text not null,
      query_id text not null,
      receiver text not null,
      key text not null,
      at timestamptz not null,
      primary key (project_id, query_id, receiver, key)
    )`.execute(db);
}
