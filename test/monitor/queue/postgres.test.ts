import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { queueContract } from "../../contracts/queue.ts";
import { createTestDatabase, type TestDatabase } from "../../postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function query(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

queueContract({
  name: "PostgreSQL",
  backend: (scope) => ({ kind: "postgres", url: database.url, schema: scope }),
  lose: (scope) =>
    query(`truncate ${scope}.job, ${scope}.scheduler, ${scope}.dedup, ${scope}.dedup_next cascade`),
  interrupt: () =>
    query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = current_user and pid <> pg_backend_pid()",
    ),
});
