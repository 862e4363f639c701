import { type Kysely, sql } from "kysely";

/** Alerts keep how they went: the count when people were first notified, the peak, the step of severity reached. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw("alter table earshot.alerts add column progress jsonb not null default '{}'").execute(db);
}
