import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../../src/lib/instant.ts";
import { eventAt, type Mention } from "../../../src/monitor/model/mention.ts";
import { FACETS, type Facet } from "../../../src/monitor/model/mention-counts.ts";
import { createMentionCountStore } from "../../../src/monitor/store/mention-counts.ts";
import { aMention } from "../../mention.ts";
import { runs } from "../../runs.ts";
import { staleSince } from "../../stale-since.ts";
import { useStores } from "../../use-stores.ts";

const { stores, database } = await useStores();
const NOON = Date.parse("2026-03-02T12:00:00Z");
const QUERIES = ["1", "2"].map((queryId) => ({ projectId: "p", queryId }));

beforeEach(truncate);

async function truncate(): Promise<void> {
  await sql`truncate earshot.mentions, earshot.listed_authors, earshot.mention_counts, earshot.mention_days, earshot.stale_counts`.execute(
    database.db,
  );
}

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
      await truncate();
      for (const [index, one] of steps.entries()) {
        if (one.do === "count") await countAll();
        if ("id" in one)
          for (const { queryId } of QUERIES) await stores.forgotten.remove("p", queryId, [one.id]);
        if ("some" in one) await store(one.some.map((fact) => mentionOf(fact, index)));
      }
      await countAll();
      const counts = await recounted();
      expect(await countedRows()).toEqual(sorted(counts));
      expect(await countedDays()).toEqual(sorted(daysOf(counts)));
      expect(await staleSince(database.db)).toBeNull();
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
  return [...counts].map(([key, { n, by, reach }]) => [
    ...(JSON.parse(key) as string[]),
    ...[n, by[negative] ?? 0, by[neutral] ?? 0, by[positive] ?? 0, reach],
  ]);
}

async function countedDays(): Promise<Row[]> {
  const { rows } = await sql<Record<string, string | number | null>>`
    select query_id, facet, extract(epoch from day)::double precision as day, value, mentions, negative, neutral, positive,
      reach::double precision as reach, reached from earshot.mention_days
  `.execute(database.db);
  return sorted(rows.map((row) => Object.values(row)));
}

/** The sums of quarters by day; of how many of them the reach is known. */
function daysOf(quarters: readonly Row[]): Row[] {
  const days = new Map<string, number[]>();
  for (const [queryId, facet, quarter, value, ...counts] of quarters) {
    const day = Math.floor((Number(quarter) * SECOND) / DAY) * (DAY / SECOND);
    const key = JSON.stringify([queryId, facet, day, value]);
    const sums = days.get(key) ?? [0, 0, 0, 0, 0, 0];
    const own = [...counts.map(Number), counts.at(-1) === null ? 0 : 1];
    days.set(
      key,
      sums.map((sum, index) => sum + (own[index] ?? 0)),
    );
  }
  return [...days].map(([key, sums]) => [...(JSON.parse(key) as string[]), ...sums]);
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
  const { rows, ...counts } = await stores.mentionCounts.byValue(QUERIES, "author", periods, 2);
  expect(rows.map(({ value, mentions, before, reach }) => [value, mentions, before, reach])).toEqual([
    ["bo", 2, 0, 15],
    ["dee", 1, 0, 1],
  ]);
  expect(counts).toEqual({ values: 3, newValues: 2, isEstimated: false });
});

test("who moves the share of negative mentions has some, in one period or the other", async () => {
  const by = (author: string, hours: number, sentiment: Mention["sentiment"]) =>
    aMention({ resourceId: `${author} ${hours}`, author, sentiment, publishedAt: NOON + hours * HOUR });
  await store([
    ...[by("ann", -1, "negative"), by("ann", 1, "neutral"), by("bo", 1, "negative")],
    ...[
      by("cy", -1, "positive"),
      by("cy", 1, "neutral"),
      by("dee", -1, "negative"),
      by("dee", 1, "negative"),
    ],
  ]);
  await countAll();
  const periods = {
    period: { from: NOON, to: NOON + 2 * HOUR },
    before: { from: NOON - 2 * HOUR, to: NOON },
  };
  const all = { period: 4, before: 3 };
  const movers = await stores.mentionCounts.movers(QUERIES, ["author"], periods, all, 10);
  expect(movers.map(({ value, negative, negativeBefore }) => [value, negative, negativeBefore])).toEqual([
    ["ann", 0, 1],
    ["bo", 1, 0],
    ["dee", 1, 1],
  ]);
});

test("of a list, those authors count who said something", async () => {
  const by = (author: string, hours: number) =>
    aMention({ resourceId: `${author} ${hours}`, author, publishedAt: NOON + hours * HOUR });
  await store([by("Ann", -1), by("ann", 0), by("ann", 1), by("bo", -1)]);
  await countAll();
  for (const author of ["ANN", "bo", "cy"])
    await stores.authorLists.put({
      id: randomUUID(),
      author,
      name: null,
      site: null,
      list: "press",
      note: "",
      actor: { via: "page", login: null, typed: "eve" },
      at: NOON,
    });
  const periods = {
    period: { from: NOON, to: NOON + 2 * HOUR },
    before: { from: NOON - 2 * HOUR, to: NOON },
  };
  expect(await stores.mentionCounts.byList(QUERIES, periods)).toEqual([
    { list: "press", authors: 1, mentions: 2, negative: 0, before: 2 },
  ]);
});

test("whatever the period: days and the quarters at its ends are its mentions", async () => {
  const hours = Array.from({ length: 150 }, (_, n) => n * 0.9);
  const told = hours.map((hour, n) =>
    aMention({
      ...{ resourceId: `m${n}`, queryId: n % 3 === 0 ? "2" : "1", publishedAt: NOON + hour * HOUR },
      ...{
        author: `author${n % 4}`,
        sentiment: n % 5 < 3 ? "negative" : null,
        reach: n % 2 === 0 ? n : null,
      },
    }),
  );
  await store(told);
  await countAll();
  const moments = fc.uniqueArray(
    fc.integer({ min: -200, max: 800 }).map((n) => NOON + n * 15 * MINUTE),
    { minLength: 3, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(moments, fc.constantFrom("all", "author" as const), async (some, facet) => {
      const sortedMoments = some.toSorted((a, b) => a - b);
      const value = facet === "all" ? "" : "author1";
      const steps = await stores.mentionCounts.bySteps(QUERIES, [facet, value], sortedMoments);
      const isMeant = ({ author }: Mention) => facet === "all" || author === value;
      const within = (from: Instant, to: Instant) =>
        told.filter((one) => isMeant(one) && eventAt(one) >= from && eventAt(one) < to);
      const expected = QUERIES.flatMap(({ queryId }) =>
        sortedMoments.slice(1).flatMap((to, step) => {
          const own = within(sortedMoments[step] ?? to, to).filter((one) => one.queryId === queryId);
          const negative = own.filter(({ sentiment }) => sentiment === "negative").length;
          const reached = own.flatMap(({ reach }) => reach ?? []);
          const reach = reached.length === 0 ? null : reached.reduce((sum, one) => sum + one, 0);
          return own.length === 0 ? [] : [{ queryId, step, mentions: own.length, negative, reach }];
        }),
      );
      expect(steps).toEqual(expected.map((one) => expect.objectContaining(one)));

      const [first = 0, second = 0, third = 0] = sortedMoments;
      const periods = { period: { from: second, to: third }, before: { from: first, to: second } };
      const { rows } = await stores.mentionCounts.byValue(QUERIES, "author", periods, 10);
      const countOf = (name: string, { from, to }: { from: Instant; to: Instant }) =>
        told.filter((one) => one.author === name && eventAt(one) >= from && eventAt(one) < to).length;
      for (const name of ["author0", "author1", "author2", "author3"]) {
        const row = rows.find((one) => one.value === name);
        expect(row?.mentions ?? 0).toBe(countOf(name, periods.period));
        if (row !== undefined) expect(row.before).toBe(countOf(name, periods.before));
      }
    }),
    { numRuns: runs(60) },
  );
});

test("of very many values, the first are exact, and how many there are is estimated", async () => {
  // Twenty are loud, each less than the one before; 3,000 have a single mention, half of them in the time before.
  const loud = Array.from({ length: 20 }, (_, n) =>
    Array.from({ length: 24 - n }, (_, m) => [`loud${n}`, m] as const),
  ).flat();
  const single = Array.from({ length: 3_000 }, (_, n) => [`single${n}`, n % 96] as const);
  await store(
    [...loud, ...single].map(([author, n], index) =>
      aMention({
        resourceId: `${author} ${n}`,
        queryId: "1",
        author,
        publishedAt: NOON + (index % 2) * DAY + n * MINUTE,
      }),
    ),
  );
  await countAll();
  const few = createMentionCountStore(database.db, 1_000);
  const fewest = createMentionCountStore(database.db, 20);
  const periods = {
    period: { from: NOON + DAY, to: NOON + 3 * DAY },
    before: { from: NOON - DAY, to: NOON + DAY },
  };
  const { rows, values, newValues, isEstimated } = await few.byValue(QUERIES, "author", periods, 5);
  const exact = await stores.mentionCounts.byValue(QUERIES, "author", periods, 5);
  expect(rows).toEqual(exact.rows);
  expect([isEstimated, exact.isEstimated]).toEqual([true, false]);
  expect(Math.abs(values / exact.values - 1)).toBeLessThan(0.2);
  expect(Math.abs(newValues / exact.newValues - 1)).toBeLessThan(0.2);
  // Of one bucket of 256: one more would double it.
  const rough = await fewest.byValue(QUERIES, "author", periods, 5);
  expect(rough.rows).toEqual(exact.rows);
  expect(Math.abs(rough.values / exact.values - 1)).toBeLessThan(0.5);
});
