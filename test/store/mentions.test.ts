import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import type { Mention } from "../../src/model/mention.ts";
import { ensurePartitions } from "../../src/store/partitions.ts";
import { aMention } from "../mention.ts";
import { useStores } from "../use-stores.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z");
const { database, stores } = await useStores();

beforeAll(async () => {
  await ensurePartitions(database.db, NOON);
});

function stored(mention: Mention) {
  return { mention, eventAt: mention.publishedAt ?? mention.addedAt, story: mention.resourceId };
}

test("a page says which mentions are new, and says it once", async () => {
  const page = ["a", "b", "c"].map((resourceId) =>
    stored(aMention({ queryId: "new", resourceId, publishedAt: NOON })),
  );
  expect(await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON)).toEqual({
    added: [0, 1, 2],
    changed: [],
  });
  expect(await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON)).toEqual({
    added: [],
    changed: [],
  });
});

test("a mention that comes twice on one page is stored once", async () => {
  const one = stored(aMention({ queryId: "twice", resourceId: "a", publishedAt: NOON }));
  expect((await stores.mentions.storePage("p", stores.mentions.rowsOf([one, one]), NOON)).added).toEqual([0]);
});

test("a changed mention is replaced and given back as it was", async () => {
  const before = aMention({ queryId: "change", resourceId: "a", sentiment: "neutral", updatedAt: NOON });
  const after = { ...before, sentiment: "negative", updatedAt: NOON + 1 };
  await stores.mentions.storePage("p", stores.mentions.rowsOf([stored(before)]), NOON);
  expect(await stores.mentions.storePage("p", stores.mentions.rowsOf([stored(after)]), NOON)).toEqual({
    added: [],
    changed: [{ index: 0, before, story: "a" }],
  });
  expect(await stores.mentions.storePage("p", stores.mentions.rowsOf([stored(after)]), NOON)).toEqual({
    added: [],
    changed: [],
  });
});

test("an older version of a mention changes nothing", async () => {
  const newer = aMention({ queryId: "old", resourceId: "a", sentiment: "negative", updatedAt: NOON + 5 });
  await stores.mentions.storePage("p", stores.mentions.rowsOf([stored(newer)]), NOON);
  const older = { ...newer, sentiment: "neutral", updatedAt: NOON };
  expect(await stores.mentions.storePage("p", stores.mentions.rowsOf([stored(older)]), NOON)).toEqual({
    added: [],
    changed: [],
  });
});

test("a mention without a date, or with an odd one, is stored and found again", async () => {
  const odd = [null, Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T00:00:00Z")];
  const page = odd.map((publishedAt, i) =>
    stored(aMention({ queryId: "odd", resourceId: `${i}`, publishedAt })),
  );
  expect((await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON)).added).toEqual([0, 1, 2]);
  expect((await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON)).added).toEqual([]);
});

test("mentions come back in order of arrival, batch by batch", async () => {
  const page = [3, 1, 2, 2, 5].map((minute, i) =>
    stored(aMention({ queryId: "order", resourceId: `r${i}`, addedAt: NOON + minute })),
  );
  await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON);
  const read: string[] = [];
  for await (const batch of stores.mentions.byArrival("p", "order", 2))
    read.push(...batch.map(({ mention }) => mention.resourceId));
  expect(read).toEqual(["r1", "r2", "r3", "r0", "r4"]);
});

test("a batch of them is read from an index, without sorting all that are stored", async () => {
  const plan = await database.db.transaction().execute(async (db) => {
    // A table with few rows is read as a whole, whatever indexes it has.
    await sql`set local enable_seqscan = off`.execute(db);
    const { rows } = await sql<{ "QUERY PLAN": string }>`
      explain select body from earshot.mentions
      where project_id = 'p' and query_id = 'order' and (added_at, resource_id) > (to_timestamp(0), 'r')
      order by added_at, resource_id limit 2`.execute(db);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });
  expect(plan).toContain("Index Scan");
  expect(plan).not.toMatch(/\bSort +\(cost/);
});
