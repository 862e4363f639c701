import { sql, type Transaction } from "kysely";
import { createDatabase, type DatabasePool } from "./database.ts";
import type { Migration } from "./migrations/migration.ts";

/** Any number, the same in every process: the advisory lock under which only one of them migrates. */
const MIGRATION_LOCK = 4_178_301;

/** Makes the schema if it is missing, and runs those of its migrations that have not run, in one transaction. */
export async function migrateSchema(
  pool: DatabasePool,
  name: string,
  migrations: readonly Migration[],
): Promise<void> {
  const table = sql.table(`${name}.migration`);
  await createDatabase(pool)
    .transaction()
    .execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction);
      await sql`create schema if not exists ${sql.id(name)}`.execute(transaction);
      await sql`create table if not exists ${table} (name text primary key)`.execute(transaction);
      const done = await migrationsDone(transaction, table);
      for (const migration of migrations) {
        if (done.has(migration.name)) continue;
        await sql.raw(migration.statements).execute(transaction);
        await sql`insert into ${table} (name) values (${migration.name})`.execute(transaction);
      }
    });
}

async function migrationsDone(
  transaction: Transaction<unknown>,
  table: ReturnType<typeof sql.table>,
): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`select name from ${table}`.execute(transaction);
  return new Set(rows.map((row) => row.name));
}
