import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MIGRATIONS, migrate } from "../../../src/monitor/store/migrate.ts";
import { createTestDatabase, type TestDatabase } from "../../postgres.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function query(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test("a database that is up to date is left as it is, and one that a later Earshot has migrated is refused", async () => {
  const known = "select name, timestamp from earshot.kysely_migration order by name";
  const before = await query(known);
  expect(before.length).toBe(Object.keys(MIGRATIONS).length);
  await Promise.all([migrate(database.url), migrate(database.url)]);
  expect(await query(known)).toEqual(before);
  await query("insert into earshot.kysely_migration values ('9999-of-tomorrow', '2100-01-01T00:00:00Z')");
  await expect(migrate(database.url)).rejects.toThrow(
    "a later Earshot has changed the database (migration 9999-of-tomorrow)",
  );
});
