import { type Kysely, sql } from "kysely";

/** When an engine was away or came back empty, and when nobody worked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(OUTAGES).execute(db);
}

const OUTAGES = `
create table earshot.outages (
  id bigint generated always as identity primary key,
  engine text not null check (engine in ('database', 'queue', 'earshot')),
  outcome text not null check (outcome in ('away', 'emptied')),
  from_at timestamptz not null,
  to_at timestamptz not null check (to_at >= from_at),
  because text
);
create index outages_newest on earshot.outages (to_at desc);
`;
