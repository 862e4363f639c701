import { type Kysely, sql } from "kysely";

/** What the server of an account was found to do. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(TABLES).execute(db);
}

const TABLES = `
create table earshot.source_traits (
  account text not null,
  trait text not null,
  value text not null,
  ms double precision,
  first_at timestamptz not null,
  last_at timestamptz not null,
  primary key (account, trait)
);
`;
