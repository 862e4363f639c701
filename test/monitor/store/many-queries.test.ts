import { expect, test } from "vitest";
import { createConsoleStore } from "../../../src/monitor/store/console.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();

test("of an account with thousands of queries both polls of each are known", async () => {
  const queries = Array.from({ length: 5_000 }, (_, nth) =>
    oddQuery({ queryId: `${nth}`, name: `Query ${nth}` }),
  );
  await stores.queries.register(queries, NOON, NOON);
  await stores.polls.ensure(NOON);
  expect(await createConsoleStore(database.db).coverage(NOON)).toHaveLength(10_000);
});
