import type { Db } from "./database.ts";
import { doneMigrations, MIGRATIONS } from "./migrate.ts";

/** Names of migrations that this version knows and the database has not had; all, where the database is new. */
export async function pendingMigrations(db: Db): Promise<readonly string[]> {
  const done = await doneMigrations(db);
  return Object.keys(MIGRATIONS).filter((name) => !done.includes(name));
}
