import { type Kysely, sql } from "kysely";

/** How late the event loop of each process was during the last minute. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table earshot.processes
      add column loop_mean_ms real not null default 0, add column loop_max_ms real not null default 0
  `.execute(db);
}
