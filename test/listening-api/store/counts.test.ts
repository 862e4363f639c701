import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import type { KeySource } from "../../../src/listening-api/charts/axis.ts";
import { compile } from "../../../src/listening-api/query-language/compile.ts";
import { readChartCells } from "../../../src/listening-api/store/chart-cells.ts";
import { createDatabase, type Database } from "../../../src/listening-api/store/database.ts";
import { insertMentions } from "../../../src/listening-api/store/insert-mentions.ts";
import { MENTION_ORDERS } from "../../../src/listening-api/store/mention-orders.ts";
import {
  createMentionPages,
  findInQueries,
  findMention,
} from "../../../src/listening-api/store/mention-page.ts";
import { createMentionSearches } from "../../../src/listening-api/store/mention-searches.ts";
import { createMentionTotals } from "../../../src/listening-api/store/mention-totals.ts";
import { readQueryVolumes } from "../../../src/listening-api/store/queries.ts";
import { readTopAuthors } from "../../../src/listening-api/store/top-authors.ts";
import { topicTexts } from "../../../src/listening-api/store/topic-texts.ts";
import { readInsightCounts, readTopKeys } from "../../../src/listening-api/store/value-counts.ts";
import { type Fixture, mentionVersion, resourceId, startFixture, T0 } from "../fixture.ts";
import { untilWaiting } from "./until-waiting.ts";

/** All that counts mentions counts the same ones: of the queries, from a moment on and before another, as they are shown. */

const [FROM, TO, AT] = [T0, T0 + HOUR, T0 + 2 * HOUR];
/** The index on words keeps no word that is so long, and not every place of a word that is so frequent. */
const LONG = "x".repeat(300);
const FREQUENT = `${"the ".repeat(300)}end`;

let fixture: Fixture;
let db: Database;
let [alpha, beta] = [0, 0];
beforeAll(async () => {
  fixture = await startFixture();
  db = createDatabase(fixture.database.pool);
  [alpha = 0, beta = 0] = fixture.account.queries.values();
});
afterAll(() => fixture.stop());

/** The author says which one it is. */
const version = (
  number: number,
  author: string,
  times: Partial<Parameters<typeof mentionVersion>[1]> = {},
  fields: Partial<Parameters<typeof mentionVersion>[0]> = {},
) =>
  mentionVersion(
    {
      ...{ queryId: alpha, resourceId: resourceId(number), author, domain: `${author}.example` },
      ...{ title: author, insightsHashtag: [`#${author}`], snippet: "hot and cold water", ...fields },
    },
    { added: T0, date: T0 + MINUTE, ...times },
  );

beforeEach(async () => {
  await fixture.database.pool.query("delete from local_api.mention");
  await insertMentions(db, [
    version(1, "plain"),
    version(2, "of-another-query", {}, { queryId: beta }),
    version(3, "first", { date: FROM }, { snippet: `hot and cold water ${LONG} ${FREQUENT}` }),
    version(4, "behind-the-end", { date: TO }),
    version(5, "before-the-begin", { date: FROM - 1 }),
    version(6, "last", { date: TO - 1 }),
    version(7, "just-shown", { visibleAt: AT }),
    version(8, "not-yet-shown", { visibleAt: AT + 1 }),
    version(9, "just-replaced", { supersededAt: AT }),
    version(9, "replacement", { version: 2, visibleAt: AT }),
    version(10, "replaced-soon", { supersededAt: AT + 1 }),
    version(10, "replacement-to-come", { version: 2, visibleAt: AT + 1 }),
    version(11, "deleted", {}, { resourceType: "deleted" }),
  ]);
});

const SHOWN = ["first", "just-shown", "last", "plain", "replaced-soon", "replacement"];
const range = () => ({ queryIds: [alpha], from: FROM, to: TO, conditions: [] });
const AUTHORS: KeySource = { kind: "text", field: "author" };
const topKeys = (source: KeySource, among?: readonly string[]) =>
  readTopKeys(db, { range: range(), at: AT, source, nameField: undefined, limit: 50, among });

it.each<[string, () => Promise<readonly string[]>]>([
  ["keys", async () => (await topKeys(AUTHORS)).map(({ key }) => key)],
  [
    "hashtags",
    async () => {
      const kind = {
        fields: ["insightsHashtag"],
        foldsCase: false,
        recordField: "",
        labelOf: () => null,
      } as const;
      const asked = { orderBy: "volume", orderDirection: "desc", limit: 50 } as const;
      const counts = await readInsightCounts(db, { range: range(), at: AT, kind, asked });
      return counts.map(({ name }) => name.slice(1));
    },
  ],
  [
    "authors",
    async () => {
      const found = await readTopAuthors(db, { range: range(), at: AT, limit: 50, direction: "desc" });
      return found.map(({ author }) => author);
    },
  ],
  [
    "sites",
    async () => {
      const asked = { range: range(), at: AT, limit: 50, direction: "desc", by: "site" } as const;
      return (await readTopAuthors(db, asked)).map(({ author }) => author);
    },
  ],
  ...[1, 0.9999999].map((share): [string, () => Promise<readonly string[]>] => [
    `texts, ${share} of them`,
    async () => {
      const found = await topicTexts(db, { range: range(), at: AT, share, longest: 100 });
      return found.map(({ text }) => text.split(".")[0] ?? "");
    },
  ]),
  [
    "points of a chart",
    async () => {
      const { rows } = await fixture.database.pool.query("select distinct author from local_api.mention");
      const axis = (source: KeySource, keys: readonly string[]) => ({
        source,
        keys: keys.map((key) => ({ key, id: key, name: key })),
      });
      const names = rows.map(({ author }) => String(author));
      const axes = [axis(AUTHORS, names), axis({ kind: "query" }, [String(alpha), String(beta)])] as const;
      const volume = { aggregates: ["volume"] as const, samplePercentages: new Map() };
      const at = await readChartCells(db, { range: range(), at: AT, axes, ...volume });
      return names.filter((name) => [alpha, beta].some((query) => at(name, String(query))?.volume === 1));
    },
  ],
])("%s", async (_, read) => {
  expect((await read()).toSorted()).toEqual(SHOWN);
});

it("one mention is found in its query alone, as it is shown, and for an edit before it is", async () => {
  const found = async (number: number, queryId = alpha) =>
    (await findMention(db, { queryId, resourceId: resourceId(number), at: AT }))?.version;
  expect([await found(1), await found(1, beta), await found(8), await found(9)]).toEqual([
    1,
    undefined,
    undefined,
    2,
  ]);
  const inQueries = async (number: number, queryIds: readonly number[]) =>
    (await findInQueries(db, { queryIds, resourceId: resourceId(number) })).map(
      ({ record }) => record.author,
    );
  expect(await inQueries(1, [beta])).toEqual([]);
  expect(await inQueries(2, [alpha, beta])).toEqual(["of-another-query"]);
  expect(await inQueries(8, [alpha, beta])).toEqual(["not-yet-shown"]);
});

it("who follows changes gets one that took the place of all versions at its own moment", async () => {
  const later = { updated: AT };
  await insertMentions(db, [
    version(40, "in-place", { version: 2, ...later }),
    version(41, "as-it-came", later),
  ]);
  const order = MENTION_ORDERS.get("updated");
  if (order === undefined) throw new Error("there is no such order");
  const shown = async (at: Instant) => {
    const asked = { range: range(), order, direction: "asc", limit: 50, offset: 0, at } as const;
    const rows = await createMentionPages(db).read(asked);
    return rows.map(({ position }) => Number(`0x${position.resourceId}`)).filter((number) => number >= 40);
  };
  expect([await shown(AT - 1), await shown(AT)]).toEqual([[41], [40, 41]]);
});

it("totals, and volumes of queries, which have no dates", async () => {
  expect((await createMentionTotals(db).read(range(), AT)).count).toBe(SHOWN.length);
  expect(await readQueryVolumes(db, [alpha], AT)).toEqual(new Map([[alpha, SHOWN.length + 2]]));
  expect(await readQueryVolumes(db, [alpha])).toEqual(new Map([[alpha, SHOWN.length + 3]]));
});

it("keys are those that were asked for, and never nothing; a named time ends before its end", async () => {
  await insertMentions(db, [version(20, ""), version(21, "x", {}, { author: null })]);
  expect((await topKeys(AUTHORS)).map(({ key }) => key).sort()).toEqual(SHOWN);
  expect(await topKeys(AUTHORS, ["plain", "nobody"])).toEqual([{ key: "plain", name: null, volume: 1 }]);
  const ranges = [
    { id: 1, from: FROM, to: T0 + MINUTE },
    { id: 2, from: T0 + MINUTE, to: TO - 1 },
  ];
  expect(await topKeys({ kind: "range", ranges })).toEqual([
    { key: "2", name: null, volume: 6 },
    { key: "1", name: null, volume: 1 },
  ]);
});

it("a total is carried from one moment to a later one exactly", async () => {
  await fixture.database.pool.query("delete from local_api.mention");
  const moments: readonly Instant[] = [0, 1, 2, 3].map((n) => T0 + n);
  const lives = moments.flatMap((visibleAt) =>
    [...moments.filter((at) => at > visibleAt), null].map((supersededAt) => ({ visibleAt, supersededAt })),
  );
  await insertMentions(
    db,
    lives.map((life, n) => version(n, "a", life)),
  );
  const seenAt = (at: Instant) =>
    lives.filter(({ visibleAt, supersededAt }) => visibleAt <= at && (supersededAt ?? at + 1) > at).length;
  for (const from of moments)
    for (const to of moments.filter((at) => at > from)) {
      const totals = createMentionTotals(db);
      const counts = [await totals.read(range(), from), await totals.read(range(), to)].map(
        ({ count }) => count,
      );
      expect(counts).toEqual([seenAt(from), seenAt(to)]);
    }
});

function find(text: string) {
  const compiled = compile(text);
  if (!compiled.ok) throw new Error(text);
  return createMentionSearches(db).find(compiled.query, range());
}

it("a search reads what the index on words lacks, and is done again when mentions come", async () => {
  const count = async (text: string) => {
    const found = { ...range(), conditions: [await find(text)] };
    return (await createMentionTotals(db).read(found, AT)).count;
  };
  expect(await count(LONG)).toBe(1);
  expect(await count('"the end"')).toBe(1);
  expect(await count("hot NEAR/3 water")).toBe(SHOWN.length);
  await insertMentions(db, [version(30, "arrives")]);
  expect(await count("hot NEAR/3 water")).toBe(SHOWN.length + 1);
});

it("results that nobody uses any more are forgotten before a search reads texts, not once it has read all", async () => {
  const { pool } = fixture.database;
  await pool.query("truncate local_api.search");
  await find("hot NEAR/3 water");
  await pool.query(`
    insert into local_api.search (key, revision, used_at)
    select case when minutes < 10 then key else 'other' end, 'older', clock_timestamp() - minutes * interval '1 minute'
    from local_api.search, unnest(array[4, 6, 29, 31]) as minutes`);
  await pool.query("delete from local_api.search where revision <> 'older'");
  const locking = await pool.connect();
  await locking.query("begin; lock table local_api.mention");
  const searching = find("hot NEAR/3 water");
  try {
    await untilWaiting(pool, 1);
    const { rows } = await pool.query(`
      select extract(minute from clock_timestamp() - used_at)::integer as age from local_api.search order by age`);
    expect(rows.map(({ age }) => age)).toEqual([4, 29]);
  } finally {
    await locking.query("rollback");
    locking.release();
  }
  expect(await searching).toMatchObject({ kind: "found" });
});
