import fc from "fast-check";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import { eventAt, type Mention } from "../../../src/monitor/model/mention.ts";
import { FACETS, type Facet } from "../../../src/monitor/model/mention-counts.ts";
import { aMention } from "../../mention.ts";
import { runs } from "../../runs.ts";
import { useStores } from "../../use-stores.ts";

const { stores, database } = await useStores();
const NOON = Date.parse("2026-03-02T12:00:00Z");
const QUERIES = ["1", "2"].map((queryId) => ({ projectId: "p", queryId }));

beforeEach(async () => {
  await sql`truncate earshot.mentions, earshot.mention_counts, earshot.stale_counts`.execute(database.db);
});

async function store(mentions: readonly Mention[]): Promise<void> {
  const page = mentions.map((mention) => ({ mention, eventAt: eventAt(mention), story: mention.resourceId }));
  await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON);
}

const countAll = () => stores.mentionCounts.countStale();

/** Facts of a mention by a few values, so that they meet; `version` moves and rewrites it. */
const category = (id: string, name: string | null, parentName: string | null) => ({
  ...{ id, name, parentName, parentId: parentName === null ? null : "p" },
});
/** A parent beside its child counts once. */
const CATEGORIES = [
  category("1", "Price", "Service"),
  category("2", "Delivery", "Service"),
  category("p", "Service", null),
  category("4", null, null),
  category("5", "", null),
];
const facts = fc.record({
  resourceId: fc.constantFrom("a", "b", "c", "d"),
  queryId: fc.constantFrom("1", "2"),
  minutes: fc.integer({ min: -40, max: 40 }),
  hasDate: fc.boolean(),
  sentiment: fc.constantFrom("negative", "neutral", "positive", "mixed", null),
  author: fc.constantFrom("@ann", "ann", "Bo <b>", "", null),
  domain: fc.constantFrom("News.example", "x.example", null),
  country: fc.constantFrom("Germany", null),
  reach: fc.constantFrom(0, 100, null),
  categories: fc.array(fc.constantFrom(...CATEGORIES), { maxLength: 3 }),
});
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("page"), some: fc.array(facts, { maxLength: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove"), id: fc.constantFrom("a", "b", "c", "d") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("count") }) },
);

test("whatever was stored, edited, moved and deleted: the counts are those of the mentions", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await sql`truncate earshot.mentions, earshot.mention_counts, earshot.stale_counts`.execute(database.db);
      for (const [index, one] of steps.entries()) {
        if (one.do === "count") await countAll();
        if ("id" in one)
          for (const { queryId } of QUERIES) await stores.forgotten.remove("p", queryId, [one.id]);
        if ("some" in one) await store(one.some.map((fact) => mentionOf(fact, index)));
      }
      await countAll();
      expect(await countedRows()).toEqual(await recounted());
      expect(await stores.mentionCounts.staleSince()).toBeNull();
    }),
    { numRuns: runs(200) },
  );
});

type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never;

/** A later version is newer, and around midnight it may be of another day. */
function mentionOf({ minutes, hasDate, ...fact }: Facts, version: number): Mention {
  const addedAt = NOON + 12 * HOUR + minutes * MINUTE;
  const publishedAt = hasDate ? addedAt : null;
  return aMention({ ...fact, publishedAt, addedAt, updatedAt: NOON + 14 * HOUR + version, language: "de" });
}

type Row = readonly (string | number | null)[];

async function countedRows(): Promise<Row[]> {
  const { rows } = await sql<Record<string, string | number | null>>`
    select query_id, facet, extract(epoch from quarter)::double precision as quarter, value, mentions, negative, neutral,
      positive, reach::double precision as reach from earshot.mention_counts
  `.execute(database.db);
  return sorted(rows.map((row) => Object.values(row)));
}

/** From the stored mentions, in another language than the database's. */
async function recounted(): Promise<Row[]> {
  const { rows } = await sql<{ body: Mention }>`select body from earshot.mentions`.execute(database.db);
  const counts = new Map<string, { n: number; by: Record<string, number>; reach: number | null }>();
  for (const { body } of rows) {
    const quarter = (eventAt(body) - (eventAt(body) % (15 * MINUTE))) / 1000;
    for (const facet of FACETS) {
      for (const value of facetOf(body, facet)) {
        const key = JSON.stringify([body.queryId, facet, quarter, value]);
        const one = counts.get(key) ?? { n: 0, by: {}, reach: null };
        one.n++;
        one.by[body.sentiment ?? ""] = (one.by[body.sentiment ?? ""] ?? 0) + 1;
        if (body.reach !== null) one.reach = (one.reach ?? 0) + body.reach;
        counts.set(key, one);
      }
    }
  }
  const { negative, neutral, positive } = { negative: "negative", neutral: "neutral", positive: "positive" };
  return sorted(
    [...counts].map(([key, { n, by, reach }]) => [
      ...(JSON.parse(key) as string[]),
      ...[n, by[negative] ?? 0, by[neutral] ?? 0, by[positive] ?? 0, reach],
    ]),
  );
}

function facetOf(mention: Mention, facet: Facet): readonly string[] {
  if (facet === "category") {
    const names = mention.categories.flatMap(({ name, parentName }) => [name, parentName]);
    return [...new Set(names.filter((name) => name !== null && name !== ""))] as string[];
  }
  const values: Record<Exclude<Facet, "category">, string | null> = {
    all: "",
    author: mention.author?.replace(/^@+/, "") || mention.authorName,
    domain: mention.domain?.toLowerCase() ?? null,
    country: mention.country,
    language: mention.language,
    type: mention.pageType,
  };
  const value = facet === "all" ? "" : values[facet] || null;
  return value === null ? [] : [value];
}

function sorted(rows: readonly Row[]): Row[] {
  return rows
    .map((row) => JSON.stringify(row))
    .sort()
    .map((row) => JSON.parse(row) as Row);
}

test("a page that comes while it is counted is counted later, and waits for nobody", async () => {
  await store([aMention({ resourceId: "a", publishedAt: NOON })]);
  let isHeld = false;
  const held = await database.pool.connect();
  try {
    // Another transaction has stored a mention, and not committed it yet.
    await held.query("begin");
    await held.query(`insert into earshot.mentions select project_id, query_id, 'b', day, event_at, added_at, updated_at,
      seen_at, sentiment, story, reach, body from earshot.mentions`);
    await held.query(`insert into earshot.stale_counts (project_id, query_id, quarter)
      select project_id, query_id, date_bin('15 minutes', event_at, 'epoch') from earshot.mentions where resource_id = 'b'`);
    isHeld = true;
    await countAll();
    expect(await mentions(NOON)).toBe(1);
    await held.query("commit");
    isHeld = false;
  } finally {
    if (isHeld) await held.query("rollback");
    held.release();
  }
  await countAll();
  expect(await mentions(NOON)).toBe(2);
});

async function mentions(from: Instant): Promise<number> {
  const rows = await stores.mentionCounts.bySteps(QUERIES, ["all", ""], [from, from + HOUR]);
  return rows.reduce((sum, { mentions }) => sum + mentions, 0);
}

test("steps are counted from the first moment, by query, and end with the last", async () => {
  const at = (minutes: number, queryId = "1", sentiment: string | null = null) =>
    aMention({
      resourceId: `${queryId} ${minutes}`,
      queryId,
      sentiment,
      publishedAt: NOON + minutes * MINUTE,
    });
  await store([at(-1), at(0, "1", "negative"), at(29), at(30), at(59, "2", "positive"), at(75)]);
  await countAll();
  const moments = [NOON, NOON + 30 * MINUTE, NOON + 75 * MINUTE];
  const rows = await stores.mentionCounts.bySteps(QUERIES, ["all", ""], moments);
  expect(
    rows.map(({ queryId, step, mentions, negative, positive }) => [
      queryId,
      step,
      mentions,
      negative,
      positive,
    ]),
  ).toEqual([
    ["1", 0, 2, 1, 0],
    ["1", 1, 1, 0, 0],
    ["2", 1, 1, 0, 1],
  ]);
});

test("the values of a facet are compared with the period before", async () => {
  const by = (author: string, hours: number, reach: number | null = null) =>
    aMention({ resourceId: `${author} ${hours}`, author, reach, publishedAt: NOON + hours * HOUR });
  await store([by("ann", -1), by("ann", 0), by("bo", 0, 10), by("bo", 1, 5), by("cy", -2), by("dee", 1, 1)]);
  await countAll();
  const periods = {
    period: { from: NOON, to: NOON + 2 * HOUR },
    before: { from: NOON - 2 * HOUR, to: NOON },
  };
  const rows = await stores.mentionCounts.byValue(QUERIES, "author", periods, 2);
  expect(rows.map(({ value, mentions, before, reach }) => [value, mentions, before, reach])).toEqual([
    ["bo", 2, 0, 15],
    ["dee", 1, 0, 1],
  ]);
  expect(rows[0]).toMatchObject({ values: 3, newValues: 2 });
});
