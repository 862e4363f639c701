import { type Kysely, sql } from "kysely";

/** What a mention says is compared where it stands: a hash of it cost every new mention to spare the few that change. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table earshot.mentions drop column hash`.execute(db);
}
