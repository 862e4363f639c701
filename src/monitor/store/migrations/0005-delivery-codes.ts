import { type Kysely, sql } from "kysely";

/** Why an attempt failed, for programs: a metric must not depend on how a message is worded. Empty: it did not fail. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`alter table earshot.deliveries add column code text not null default ''`.execute(db);
}
