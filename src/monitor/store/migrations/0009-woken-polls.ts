import { type Kysely, sql } from "kysely";

/** Mentions were announced while the poll ran. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table earshot.polls add column woken boolean not null default false`.execute(db);
}
