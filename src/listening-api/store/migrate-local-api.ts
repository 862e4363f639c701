import type { DatabasePool } from "./database.ts";
import { migrateSchema } from "./migrate-schema.ts";
import { schema } from "./migrations/001-schema.ts";
import type { Migration } from "./migrations/migration.ts";

/** Brings the schema `local_api` up to date. Safe to call from many processes at once and on every start. */
export function migrateLocalApi(pool: DatabasePool): Promise<void> {
  return migrateSchema(pool, "local_api", MIGRATIONS);
}

/** The schema, in the order in which it grew. What was published is never edited: a change is a migration of its own. */
export const MIGRATIONS: readonly Migration[] = [schema];
