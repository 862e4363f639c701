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
