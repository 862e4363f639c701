import { sql } from "kysely";
import type { Db } from "./database.ts";
import { MIGRATIONS } from "./migrate.ts";

/** Names of migrations that this version knows and the database has not had; all, where the database is new. */
export async function pendingMigrations(db: Db): Promise<readonly string[]> {
  const done = new Set(await doneMigrations(db));
  return Object.keys(MIGRATIONS).filter((name) => !done.has(name));
}

/** Names of those that the database has had and this version does not know: a newer one has run on it. */
export async function unknownMigrations(db: Db): Promise<readonly string[]> {
  return (await doneMigrations(db)).filter((name) => !Object.hasOwn(MIGRATIONS, name));
}

async function doneMigrations(db: Db): Promise<readonly string[]> {
  const { rows: found } = await sql<{ exists: boolean }>`
    select to_regclass('earshot.kysely_migration') is not null as exists
  `.execute(db);
  if (found[0]?.exists !== true) return [];
  const { rows } = await sql<{ name: string }>`select name from earshot.kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
}
