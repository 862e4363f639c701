import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { BINS } from "../../../src/monitor/model/sketch.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import type { KnownText } from "../../../src/monitor/store/stories.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { changedBy } from "./changed-by.ts";

// What rules count and learn is there for two queries of two projects, under the same names. What is done to one of
// them changes and finds no other, and moments belong to the side that they are said to.

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const [P, OTHER] = ["p", "other"];
const ALL = [P, OTHER].flatMap((projectId) => ["1", "2"].map((queryId) => [projectId, queryId] as const));

const TABLES = [
  ...["condition_states", "coverage", "counts", "series", "seen_values", "distinct_authors", "arrival_rates"],
  ...["story_texts", "mentions", "stale_counts", "held_rules", "alerts", "latest_alerts", "queries"],
];
beforeAll(() => ensurePartitions(database.db, NOON));
beforeEach(async () => {
  for (const table of TABLES) await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
  const queries = ALL.map(([projectId, queryId]) => ({ ...oddQuery(), projectId, queryId }));
  await stores.queries.register(queries, NOON, NOON - DAY);
});

const changed = (table: string, key: readonly string[], work: () => Promise<unknown>) =>
  changedBy(database.db, table, ["project_id", "query_id", ...key], work);

async function store(projectId: string, ...mentions: readonly Mention[]): Promise<void> {
  const page = mentions.map((mention) => ({
    ...{ mention, eventAt: mention.publishedAt ?? mention.addedAt, story: mention.title ?? "s" },
  }));
  await stores.mentions.storePage(projectId, stores.mentions.rowsOf(page), NOON);
}

test("states of conditions are changed by their names and moments, those of one query", async () => {
  const { conditions } = stores;
  const state = (condition: string, baseline: string, steppedUntil: number) => ({
    ...{ condition, baseline, steppedUntil, state: {}, watchFrom: NOON },
  });
  for (const [projectId, queryId] of ALL)
    await conditions.save(projectId, queryId, [
      state("a", "x", NOON - 1),
      state("b", "x", NOON),
      state("c", "y", NOON - 1),
      state("d", "y", NOON + 1),
    ]);
  const names = async () => (await conditions.states(P, "1")).map(({ condition }) => condition).sort();
  expect(await names()).toEqual(["a", "b", "c", "d"]);
  const by = (work: () => Promise<void>) => changed("condition_states", ["condition"], work);
  expect(await by(() => conditions.removeStopped(P, "1", ["x"], NOON))).toEqual(["p 1 a"]);
  expect(await by(() => conditions.removeAhead(P, "1", NOON))).toEqual(["p 1 d"]);
  expect(await by(() => conditions.save(P, "1", [state("b", "x", NOON + 1)]))).toEqual(["p 1 b"]);
  expect(await by(() => conditions.remove(P, "1", ["c"]))).toEqual(["p 1 c"]);
  expect(await names()).toEqual(["b"]);
});

test("the first arrival of a query is the first that was counted, or stored since it is watched", async () => {
  const first = () => stores.conditions.firstArrival(P, "1");
  const arrives = (queryId: string, addedAt: number) =>
    aMention({ queryId, resourceId: `first ${addedAt}`, publishedAt: NOON, addedAt });
  const covered = (projectId: string, queryId: string, poll: "added" | "updated", fromAt: number) =>
    stores.coverage.record({
      ...{ projectId, queryId, poll, startedAt: NOON, fromAt, untilAt: NOON },
      ...{ claimed: 0, seen: 0, stored: 0, rejected: 0, gap: 0 },
    });
  const count = (projectId: string, queryId: string, arrived: number) =>
    stores.counts.add(projectId, queryId, [{ series: "s", arrived, bucket: NOON, n: 1 }]);
  for (const [projectId, queryId] of ALL.slice(1)) {
    await store(projectId, arrives(queryId, NOON - 5 * HOUR));
    await covered(projectId, queryId, "added", NOON - 9 * HOUR);
    await count(projectId, queryId, NOON - 6 * HOUR);
  }
  expect(await first()).toBeNull();
  await store(P, arrives("1", NOON - 3 * HOUR - 1), arrives("1", NOON - 3 * HOUR));
  expect(await first()).toBe(NOON - 3 * HOUR - 1);
  await covered(P, "1", "updated", NOON - 9 * HOUR);
  await covered(P, "1", "added", NOON - 3 * HOUR);
  expect(await first()).toBe(NOON - 3 * HOUR);
  await count(P, "1", NOON - 4 * HOUR);
  expect(await first()).toBe(NOON - 4 * HOUR);
});

test("values that were seen and authors that were counted are those of one query, series and name", async () => {
  const { values, distinctAuthors } = stores;
  const seen = (series: string, value: string, firstAt = NOON) => ({
    ...{ series, value, firstAt, authors: ["somebody"] },
  });
  const counted = (series: string, author: string, span: number, mentions = 1) => ({
    ...{ series, author, span, bucket: NOON, mentions },
  });
  for (const [projectId, queryId] of ALL) {
    await values.save(projectId, queryId, [seen("s", "v"), seen("s", "w"), seen("t", "v")]);
    await distinctAuthors.save(projectId, queryId, [
      ...[counted("s", "ann", NOON), counted("t", "ann", NOON)],
      ...[counted("s", "bo", NOON), counted("s", "ann", NOON + HOUR)],
    ]);
  }
  expect(await values.find(P, "1", "s", ["v", "x"])).toEqual([seen("s", "v")]);
  expect(await distinctAuthors.find(P, "1", [counted("s", "ann", NOON)])).toEqual([
    counted("s", "ann", NOON),
  ]);

  const byValue = (work: () => Promise<void>) => changed("seen_values", ["series", "value"], work);
  expect(await byValue(() => values.save(P, "1", [seen("s", "w", NOON + 1)]))).toEqual(["p 1 s w"]);
  expect(await byValue(() => values.replace(P, "1", [{ ...seen("s", "v"), authors: [] }]))).toEqual([
    "p 1 s v",
  ]);
  await values.save(P, "1", [seen("t", "old", NOON - 1), seen("t", "", NOON - 1)]);
  expect(await byValue(() => values.forgetBefore(NOON))).toEqual(["p 1 t old"]);

  const byAuthor = (work: () => Promise<void>) =>
    changed("distinct_authors", ["series", "author", "span"], work);
  const more = [counted("t", "ann", NOON, 2), counted("s", "bo", NOON - 1, 1)];
  expect(await byAuthor(() => distinctAuthors.save(P, "1", more))).toEqual([
    expect.stringContaining("p 1 s bo "),
    expect.stringContaining("p 1 t ann "),
  ]);
  expect(await byAuthor(() => distinctAuthors.save(P, "1", [counted("s", "ann", NOON, 0)]))).toEqual([
    expect.stringContaining("p 1 s ann "),
  ]);
  expect(await distinctAuthors.find(P, "1", [counted("s", "ann", NOON + HOUR)])).toHaveLength(1);
  expect(await byAuthor(() => distinctAuthors.forgetBefore(NOON))).toEqual([
    expect.stringContaining("p 1 s bo "),
  ]);
});

test("counts are those of one query and series, from a moment on and before another", async () => {
  const { counts } = stores;
  const count = (series: string, arrived: number, bucket: number, n = 1) => ({
    ...{ series, arrived, bucket, n },
  });
  const [from, to] = [NOON, NOON + 10 * MINUTE];
  const own = [
    ...[count("s", from, from), count("s", from + 1, from - 1), count("s", to - 1, to - 1)],
    count("t", from, from),
  ];
  for (const [projectId, queryId] of ALL)
    await counts.add(projectId, queryId, [
      ...own,
      ...[count("s", from - 1, from), count("s", to, to), count("s", from + 2, from, 0)],
    ]);
  const bySeries = (a: { series: string; arrived: number }, b: { series: string; arrived: number }) =>
    a.arrived - b.arrived || (a.series < b.series ? -1 : 1);
  expect(await counts.arrivals(P, "1", from, to)).toEqual(own.toSorted(bySeries));
  expect(await counts.arrivals(P, "1", from, to, ["t"])).toEqual([count("t", from, from)]);
  expect(await counts.byEvent(P, "1", "s", from, to)).toEqual([
    { bucket: from, n: 1 },
    { bucket: to - 1, n: 1 },
  ]);

  for (const [projectId, queryId] of ALL) await counts.addSeries(projectId, queryId, ["s", "t"]);
  for (const [projectId, queryId] of ALL.slice(1)) await counts.addSeries(projectId, queryId, ["of another"]);
  await counts.addSeries(P, "1", ["s"]);
  expect(await counts.series(P, "1")).toEqual(new Set(["s", "t"]));
  expect(await changed("series", ["series"], () => counts.leaveSeries(P, "1", ["s"]))).toEqual(["p 1 s"]);
  await stores.distinctAuthors.save(P, "1", [
    { series: "u", author: "ann", span: NOON, bucket: NOON, mentions: 1 },
  ]);
  const left = async (table: string) =>
    (
      await sql<{ key: string }>`
        select distinct concat_ws(' ', project_id, query_id, series) as key from ${sql.table(`earshot.${table}`)} order by 1
      `.execute(database.db)
    ).rows.map(({ key }) => key);
  const before = await Promise.all([left("counts"), left("distinct_authors")]);
  await counts.clear(P, "1", ["s", "u"]);
  const after = await Promise.all([left("counts"), left("distinct_authors")]);
  expect(before.flat().filter((key) => !after.flat().includes(key))).toEqual(["p 1 s", "p 1 u"]);
});

test("rates of arrival are those of one poll, and of all queries those of its kind and hour", async () => {
  const { arrivals } = stores;
  const cells = ALL.flatMap(([projectId, queryId]) =>
    (["added", "updated"] as const).flatMap((poll) =>
      [-2, -1, 7, 8].map((hour) => ({
        ...{ projectId, queryId, poll, hour, mentions: poll === "added" ? 2 : 1, ms: 10, untilAt: NOON },
      })),
    ),
  );
  await arrivals.save(cells);
  const own = { projectId: P, queryId: "1", poll: "added" } as const;
  const found = await arrivals.of([own]);
  expect(found.map(({ projectId, queryId, poll, hour }) => [projectId, queryId, poll, hour]).sort()).toEqual(
    [-1, -2, 7, 8].map((hour) => [P, "1", "added", hour]),
  );
  const byHour = (a: { hour: number }, b: { hour: number }) => a.hour - b.hour;
  expect([...(await arrivals.pooled("added", 7))].sort(byHour)).toEqual([
    { hour: -1, mentions: 8, ms: 40 },
    { hour: 7, mentions: 8, ms: 40 },
  ]);
  const again = { ...own, hour: 7, mentions: 5, ms: 10, untilAt: NOON };
  expect(await changed("arrival_rates", ["poll", "hour"], () => arrivals.save([again]))).toEqual([
    "p 1 added 7",
  ]);
});

test("texts of stories are those of one query; the oldest go when as many newer ones are there", async () => {
  const text = (name: string): KnownText => {
    const key = Buffer.from(name.padEnd(12, ".")).toString("base64url");
    return { key, story: key, sketch: new Uint8Array(BINS) };
  };
  const { stories } = stores;
  const seqs = async (known = { version: 0, seq: 0 }, most = 100) =>
    (await stories.since(P, "1", known, most)).batches.map(({ seq }) => seq);
  for (const [projectId, queryId] of ALL)
    for (const seq of [13, 14, 15]) await stories.append(projectId, queryId, seq, [text(`${seq}`)], 2);
  expect(await seqs()).toEqual([13, 14, 15]);
  expect(await seqs({ version: 0, seq: 13 })).toEqual([14, 15]);
  expect(await seqs({ version: 7, seq: 13 })).toEqual([13, 14, 15]);
  expect(await seqs(undefined, 2)).toEqual([14, 15]);
  // The sixteenth takes the batches behind two newer texts along.
  const forgotten = () => stories.append(P, "1", 16, [text("16")], 2);
  expect(await changed("story_texts", ["seq"], forgotten)).toEqual(["p 1 13", "p 1 14", "p 1 16"]);

  // Another query still tells the story, and so does another project: that keeps nothing here.
  for (const [projectId, queryId] of ALL.slice(1))
    await store(projectId, aMention({ queryId, resourceId: "told", title: text("15").key }));
  const remove = () => stories.remove(P, "1", new Set([text("15").key]));
  expect(await changed("queries", [], () => changed("story_texts", ["seq"], remove))).toEqual(["p 1"]);
  const texts = async (projectId: string, queryId: string) =>
    (await stories.since(projectId, queryId, { version: 0, seq: 0 }, 100)).batches.map(({ seq, texts }) => [
      ...[seq, texts.length],
    ]);
  expect(await texts(P, "1")).toEqual([
    [15, 0],
    [16, 1],
  ]);
  for (const [projectId, queryId] of ALL.slice(1))
    expect(await texts(projectId, queryId)).toEqual([13, 14, 15].map((seq) => [seq, 1]));
  await store(P, aMention({ queryId: "1", resourceId: "told", title: text("16").key }));
  const stays = () => stories.remove(P, "1", new Set([text("16").key]));
  expect(await changed("story_texts", ["seq"], stays)).toEqual([]);
});

test("a rule is held for one query, from its moment on until it goes on", async () => {
  const { ruleFloods } = stores;
  const own = { projectId: P, queryId: "1" };
  const [from, to] = [NOON, NOON + 10 * MINUTE];
  const flood = (rule: string, heldAt: number, resumedAt: number | null) => ({
    ...{ rule, windowFrom: from, inWindow: 9, heldAt, held: 1, lastAt: NOON, resumedAt },
  });
  const alert = (projectId: string, queryId: string, rule: string, openedAt: number): Alert => ({
    ...{ id: uuid7(openedAt), projectId, queryId, rule, openedAt, fingerprint: `${rule} ${openedAt}` },
    ...{ queryName: "Acme", severity: "warning", state: "firing", labels: {}, firedAt: NOON },
    ...{ lastSeenAt: NOON, resolvedAt: null, notifyCount: 1, renotifyReason: null, mentions: 1 },
    ...{ because: "", windowFrom: NOON, windowTo: NOON, values: {}, handling: {}, progress: {} },
  });
  for (const [projectId, queryId] of ALL.slice(1)) {
    await stores.alerts.save([alert(projectId, queryId, "r", from)]);
    await ruleFloods.save({ projectId, queryId }, [flood("v", NOON - 2 * HOUR, null)]);
  }
  await stores.alerts.save([
    ...[from - 1, from, to - 1, to].map((openedAt) => alert(P, "1", "r", openedAt)),
    ...["held", "another", "v", "not asked"].map((rule) => alert(P, "1", rule, from)),
  ]);
  await ruleFloods.save(own, [
    ...[flood("r", NOON - HOUR, NOON - MINUTE), flood("held", NOON, null)],
    ...[flood("v", NOON - HOUR, NOON - MINUTE), flood("another", NOON - 2 * HOUR, null)],
  ]);
  const counted = await ruleFloods.ofRules(own, ["r", "held", "v"], from, to);
  expect(counted.map(({ rule, heldAt, inWindow }) => [rule, heldAt, inWindow]).sort()).toEqual([
    ["held", NOON, 9],
    ["r", null, 2],
    ["v", null, 1],
  ]);

  const since = (moment: number, rule = "v") => ruleFloods.heldSince(own, rule, moment);
  expect(
    await Promise.all(
      [NOON - HOUR - 1, NOON - HOUR, NOON - MINUTE - 1, NOON - MINUTE].map((at) => since(at)),
    ),
  ).toEqual([null, NOON - HOUR, NOON - HOUR, null]);
  expect(await since(NOON, "held")).toBe(NOON);

  await sql`update earshot.queries set active = false where project_id = ${P} and query_id = '2'`.execute(
    database.db,
  );
  const held = async () =>
    (await ruleFloods.held()).map(({ projectId, queryId, rule }) => `${projectId} ${queryId} ${rule}`).sort();
  expect(await held()).toEqual(["other 1 v", "other 2 v", "p 1 another", "p 1 held"]);
  await ruleFloods.save(own, [flood("held", NOON, NOON + 1)]);
  expect(await held()).toEqual(["other 1 v", "other 2 v", "p 1 another"]);
});
