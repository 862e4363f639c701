import { type Kysely, sql } from "kysely";

/** A channel that is configured by name has the limit of its id, which the vendor tells with the first message. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table earshot.channel_limits add column same_as text`.execute(db);
}
