import { type Kysely, sql } from "kysely";

/**
 * The history of one query in order of arrival: a new rule on a query with millions of mentions reads it in batches,
 * each of which sorted all of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw("create index mentions_of_query on earshot.mentions (project_id, query_id, added_at, resource_id)")
    .execute(db);
}
