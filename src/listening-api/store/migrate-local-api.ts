import { sql, type Transaction } from "kysely";
import { createDatabase, type DatabasePool } from "./database.ts";
import { MIGRATIONS } from "./migrations.ts";

/** Any number, the same in every process: the advisory lock under which only one of them migrates. */
const MIGRATION_LOCK = 4_178_301;

/** Brings the schema `local_api` up to date. Safe to call from many processes at once and on every start. */
export async function migrateLocalApi(pool: DatabasePool): Promise<void> {
  await createDatabase(pool)
    .transaction()
    .execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
      const done = await migrationsDone(transaction);
      for (const migration of MIGRATIONS) {
        if (done.has(migration.name)) continue;
        await sql.raw(migration.statements).execute(transaction);
        await sql`insert into local_api.migration (name) values (${migration.name})`.execute(transaction);
      }
    });
}

async function migrationsDone(transaction: Transaction<unknown>): Promise<Set<string>> {
  await sql`create schema if not exists local_api`.execute(transaction);
  await sql`create table if not exists local_api.migration (name text primary key)`.execute(transaction);
  const { rows } = await sql<{ name: string }>`select name from local_api.migration`.execute(transaction);
  return new Set(rows.map((row) => row.name));
}
