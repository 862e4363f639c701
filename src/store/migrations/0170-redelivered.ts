import { type Kysely, sql } from "kysely";

/** Attempts that were made before the last redelivery: they do not count towards giving up again. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`create index notifications_given_up on earshot.notifications (created_at) where state = 'dead'`.execute(
    db,
  );
  await sql`alter table earshot.notifications add column attempts_before integer not null default 0`.execute(
    db,
  );
}
