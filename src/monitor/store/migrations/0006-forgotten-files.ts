import { type Kysely, sql } from "kysely";

/** What became of the files of the tables after a request to forget; null for requests of earlier versions. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table earshot.forget_requests add column files text check (files in ('Rewritten', 'Partly'))`.execute(
    db,
  );
}
