import { type DatabasePool, type Migration, migrateLocalApi, migrateSchema } from "#listening-api";
import { schema } from "./migrations/001-schema.ts";

/** The schema, in the order in which it grew. What was published is never edited: a change is a migration of its own. */
export const MIGRATIONS: readonly Migration[] = [schema];

/**
 * Brings the tables of feeds, and those of the Listening API which they hand their items to, up to date. Safe to call from
 * many processes at once and on every start.
 */
export async function migrateFeeds(pool: DatabasePool): Promise<void> {
  await migrateLocalApi(pool);
  await migrateSchema(pool, "feeds", MIGRATIONS);
}
