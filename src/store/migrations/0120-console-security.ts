import { type Kysely, sql } from "kysely";

/** Sessions that logged out, and who did what, apart from the sentence that tells it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(db);
}

const TABLES = `
create table earshot.closed_sessions (
  id text primary key,
  until timestamptz not null
);
alter table earshot.alert_events add column actor jsonb;
alter table earshot.silences add column actor jsonb;
`;
