import { type Kysely, sql } from "kysely";

/** A digest may come several times a day: its editions are known by the local date and, where there are more, the time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table earshot.digests alter column local_date type text using local_date::text`.execute(db);
  await sql`alter table earshot.notifications alter column digest_date type text using digest_date::text`.execute(
    db,
  );
}
