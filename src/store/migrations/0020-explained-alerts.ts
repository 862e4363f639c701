import { type Kysely, sql } from "kysely";

/**
 * States can be found by what they learn. Alerts know how often there was a reason to tell of them, and keep what was found out when people were
 * told.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    alter table earshot.condition_states add column baseline text`.execute(db);
  await sql`
    alter table earshot.alerts
      add column tellings integer not null default 1,
      add column retell_reason text,
      add column explanation jsonb`.execute(db);
}
