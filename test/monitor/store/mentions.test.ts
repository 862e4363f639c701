import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { HOUR } from "../../../src/lib/instant.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { Incident } from "../../../src/monitor/model/incident.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { createConsoleStore } from "../../../src/monitor/store/console.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { aMention } from "../../mention.ts";
import { useStores } from "../../use-stores.ts";

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

test("what people judged is found by query, one text for each alert, the newest alert first", async () => {
  const query = { id: "meant", name: "Delta" };
  const alert = (id: string, openedAt: number, relevant: boolean | null) =>
    sql`
    insert into earshot.alerts (project_id, id, rule, fingerprint, query_id, query_name, severity, state, labels, opened_at,
      last_seen_at, mentions, because, window_from, window_to, "values", handling)
    values ('p', ${id}::uuid, 'r', ${id}, 'meant', 'Delta', 'info', 'resolved', '{}', ${new Date(openedAt)}, now(), 1, '',
      now(), now(), '{}', ${JSON.stringify(relevant === null ? {} : { relevant })}::jsonb)`.execute(
      database.db,
    );
  const match = (alertId: string, resourceId: string) =>
    sql`
    insert into earshot.matches (project_id, query_id, resource_id, day, rule, alert_id, at, because)
    values ('p', 'meant', ${resourceId}, '2026-03-01', 'r', ${alertId}::uuid, now(), '')`.execute(
      database.db,
    );
  const ids = [1, 2, 3, 4].map((n) => `0199b2c4-7d1a-7000-8000-00000000000${n}`);
  const mentions = ids.map((_, n) =>
    aMention({
      queryId: "meant",
      resourceId: `m${n}`,
      publishedAt: NOON + n,
      title: `title ${n}`,
      text: `text ${n}`,
    }),
  );
  await stores.mentions.storePage("p", stores.mentions.rowsOf(mentions.map(stored)), NOON);
  const [first = "", second = "", relevant = "", silent = ""] = ids;
  await alert(first, NOON, false);
  await alert(second, NOON + 1, false);
  await alert(relevant, NOON + 2, true);
  await alert(silent, NOON + 3, null);
  for (const [n, id] of ids.entries()) await match(id, `m${n}`);
  const no = (n: number) => ({ text: `title ${n}\ntext ${n}`, isRelevant: false });
  const yes = (n: number) => ({ text: `title ${n}\ntext ${n}`, isRelevant: true });
  const judged = (relevant: boolean | null, most: number) =>
    stores.mentions.judged(query, { relevant, most });
  expect(await judged(null, 9)).toEqual([yes(2), no(1), no(0)]);
  expect(await judged(false, 9)).toEqual([no(1), no(0)]);
  expect(await judged(false, 1)).toEqual([no(1)]);
  expect(await stores.mentions.judged({ ...query, name: "Omega" }, { most: 9 })).toEqual([]);
  await sql`delete from earshot.mentions where resource_id = 'm1'`.execute(database.db);
  expect(await judged(null, 9)).toEqual([yes(2), no(0)]);
});

test("a story reached most by whom has the largest number that is shown: of followers, where no reach is estimated", async () => {
  const of = (resourceId: string, facts: Partial<Mention>) => ({
    ...{ eventAt: NOON, story: "told" },
    mention: aMention({ queryId: "reach", resourceId, publishedAt: NOON, ...facts }),
  });
  const page = [of("a", { reach: 10_000 }), of("b", { followers: 20_000 }), of("c", { reach: 500 })];
  await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON);
  const facts = createConsoleStore(database.db);
  const alert = { projectId: "p", queryId: "reach", windowFrom: NOON - HOUR, windowTo: NOON + HOUR } as Alert;
  const found = [
    await stores.mentions.story("p", "reach", "told", NOON - HOUR),
    ...(await facts.alertStories(alert, "window", 5)),
    ...(await facts.incidentStories(
      { projectId: "p" } as Incident,
      ["reach"],
      alert.windowFrom,
      alert.windowTo,
      5,
    )),
  ];
  expect(found.map((story) => story?.widest.resourceId)).toEqual(["b", "b", "b"]);
});
