import { type Kysely, sql } from "kysely";

/** The texts that a query has told lately, for finding those that are nearly the same. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table earshot.told_texts (
      project_id text not null,
      query_id text not null,
      seq integer not null,
      texts integer not null,
      body bytea not null,
      primary key (project_id, query_id, seq)
    )`.execute(db);
  // Sketches look like noise: to try to press them together only costs time.
  await sql`alter table earshot.told_texts alter column body set storage external`.execute(db);
}
