import type { Db } from "./database.ts";
import { doneMigrations, MIGRATIONS } from "./migrate.ts";

/** Names of migrations that this version knows and the database has not had; all, where the database is new. */
export async function pendingMigrations(db: Db): Promise<readonly string[]> {
  const done = await doneMigrations(db);
  return Object.keys(MIGRATIONS).filter((name) => !done.includes(name));
}

/** Names of those that the database has had and this version does not know: a later one has changed it. */
export async function laterMigrations(db: Db): Promise<readonly string[]> {
  return (await doneMigrations(db)).filter((name) => !Object.hasOwn(MIGRATIONS, name));
}
