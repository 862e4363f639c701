import { type Kysely, type Migration, Migrator, sql } from "kysely";
import { UserError } from "../../lib/errors.ts";
import { type Db, openDatabase } from "./database.ts";
import * as schema from "./migrations/0001-schema.ts";

/** Every migration, in order. A released one is never edited; a new one follows it. */
export const MIGRATIONS: Record<string, Migration> = { "0001-schema": schema };

/**
 * Brings the schema `earshot` up to date. Rejects with a UserError if a later version has changed it. Kysely holds a
 * lock, so any number of processes may start at once.
 */
export async function migrate(url: string): Promise<void> {
  // A broken connection makes the statement reject; the event adds nothing.
  const { db, close } = openDatabase({ url, connections: 2, onError: () => {} });
  try {
    await migrateDatabase(db);
  } finally {
    await close();
  }
}

async function migrateDatabase(db: Kysely<never>): Promise<void> {
  const done = await doneMigrations(db);
  const known = Object.keys(MIGRATIONS);
  const later = done.filter((name) => !known.includes(name));
  if (later.length > 0) {
    throw new UserError(`a later Earshot has changed the database (migration ${later.at(-1)})`, [
      "start that version again, or go back to a backup from before it",
    ]);
  }
  // Kysely reads the whole catalogue before its own list: a fifth of a second at every start of every process.
  if (done.length === known.length) return;
  // Two processes that create the schema in the same instant would collide in the catalogue, hence the database's lock.
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('earshot-schema'))`.execute(tx);
    await sql`create schema if not exists earshot`.execute(tx);
  });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => MIGRATIONS },
    migrationTableSchema: "earshot",
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === "Error")?.migrationName;
    throw new Error(`the database could not be brought up to date${failed ? ` (migration ${failed})` : ""}`, {
      cause: error,
    });
  }
}

/** Names of the applied migrations, in order. */
async function doneMigrations(db: Kysely<never>): Promise<readonly string[]> {
  const { rows: found } = await sql<{ exists: boolean }>`
    select to_regclass('earshot.kysely_migration') is not null as exists`.execute(db);
  if (found[0]?.exists !== true) return [];
  const { rows } = await sql<{ name: string }>`
    select name from earshot.kysely_migration order by name collate "C"`.execute(db);
  return rows.map(({ name }) => name);
}

/** Names of migrations that this version has and the database has not; all, if the database is new. */
export async function pendingMigrations(db: Db): Promise<readonly string[]> {
  const done = await doneMigrations(db);
  return Object.keys(MIGRATIONS).filter((name) => !done.includes(name));
}

/** Names of migrations that the database has and this version has not: a later version changed it. */
export async function laterMigrations(db: Db): Promise<readonly string[]> {
  return (await doneMigrations(db)).filter((name) => !Object.hasOwn(MIGRATIONS, name));
}
