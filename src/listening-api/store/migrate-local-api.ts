import type { DatabasePool } from "./database.ts";
import { migrateSchema } from "./migrate-schema.ts";
import { MIGRATIONS } from "./migrations.ts";

/** Brings the schema `local_api` up to date. Safe to call from many processes at once and on every start. */
export function migrateLocalApi(pool: DatabasePool): Promise<void> {
  return migrateSchema(pool, "local_api", MIGRATIONS);
}
