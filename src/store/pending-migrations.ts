import type { Db } from "./database.ts";
import { doneMigrations, MIGRATIONS } from "./migrate.ts";

/** Names of migrations that this version has and the database has not; all, if the database is new. */
export async function pendingMigrations(db: Db): Promise<readonly string[]> {
  const done = await doneMigrations(db);
  return Object.keys(MIGRATIONS).filter((name) => !done.includes(name));
}

/** Names of migrations that the database has and this version has not: a later version changed it. */
export async function laterMigrations(db: Db): Promise<readonly string[]> {
  return (await doneMigrations(db)).filter((name) => !Object.hasOwn(MIGRATIONS, name));
}
