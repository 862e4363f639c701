import pg from "pg";
import { expect, test } from "vitest";
import { createTestDatabase } from "./postgres.ts";

test("two test databases do not see each other, and are gone when dropped", async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const client = new pg.Client({ connectionString: one.url });
  await client.connect();
  await client.query("create table mine ()");
  await client.end();
  const elsewhere = new pg.Client({ connectionString: other.url });
  await elsewhere.connect();
  expect((await elsewhere.query("select to_regclass('mine') as found")).rows).toEqual([{ found: null }]);
  await elsewhere.end();
  await Promise.all([one.drop(), other.drop()]);
  await expect(new pg.Client({ connectionString: one.url }).connect()).rejects.toThrow(/does not exist/);
});

test("the clock of a test database is an hour off, also in the defaults of its tables", async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<Record<"now" | "later" | "stored", number>>(`
    insert into earshot.interactions (id) values ('odd') returning extract(epoch from taken_wall - pg_catalog.now())::int as stored,
      extract(epoch from now() - pg_catalog.now())::int as now,
      extract(epoch from clock_timestamp() - pg_catalog.clock_timestamp())::int as later`);
  await client.end();
  await database.drop();
  const ahead = rows[0]?.now ?? 0;
  expect(Math.abs(ahead)).toBe(3_600);
  expect(rows).toEqual([{ now: ahead, later: ahead, stored: ahead }]);
});
