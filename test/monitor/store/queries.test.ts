import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import type { Facts } from "../../../src/monitor/store/stores.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { changedBy } from "./changed-by.ts";
import { begun } from "./waiting.ts";

// Queries 1 and 2 are in two projects; one of the four is meant.

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const { queries, queryGroups, countChecks } = stores;
const [P, OTHER] = ["p", "other"];
const OWN = { projectId: P, queryId: "1" };
const ALL = [P, OTHER].flatMap((projectId) => ["1", "2"].map((queryId) => ({ projectId, queryId })));

const TABLES = [
  "queries",
  "polls",
  "counts",
  "latest_alerts",
  "incidents",
  "query_groups",
  "dead_letters",
  "series",
];
const MORE = ["count_checks", "counted_queries", "mentions", "tombstones", "coverage"];
beforeEach(async () => {
  for (const table of [...TABLES, ...MORE])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
  await queries.register(ALL.map(oddQuery), NOON, NOON - DAY);
  await stores.polls.ensure(NOON);
});

const changed = (work: () => Promise<unknown>) =>
  changedBy(database.db, "queries", ["project_id", "query_id"], work);
const changePolls = (assignment: ReturnType<typeof sql>, where = sql`true`) =>
  sql`update earshot.polls set ${assignment} where ${where}`.execute(database.db);

test("the watched queries of a source are those of its configuration, and a query keeps its moments", async () => {
  const renamed = { ...oddQuery(OWN), name: "New" };
  expect(await changed(() => queries.register([renamed], NOON + 1, NOON + 1, "feeds"))).toEqual(["p 1"]);
  expect(await queries.find(P, "1")).toMatchObject({ name: "New", watchFrom: NOON, tickedUntil: NOON - DAY });
  expect((await queries.find(OTHER, "1"))?.name).toBe("Acme");
  expect((await queries.find(P, "2"))?.queryId).toBe("2");
  expect(await changed(() => queries.register([renamed], NOON, NOON))).toEqual(["other 1", "other 2", "p 2"]);
  expect((await queries.active()).map((one) => `${one.projectId} ${one.queryId}`)).toEqual(["p 1"]);
  expect(await changed(() => queries.leaveOthers(["account"]))).toEqual([]);
  expect(await changed(() => queries.leaveOthers(["feeds"]))).toEqual(["p 1"]);
});

test("a query is read, locked and ticked by itself", async () => {
  expect(await changed(() => queries.setTickedUntil(P, "1", NOON))).toEqual(["p 1"]);
  const ticked = async ({ projectId, queryId }: typeof OWN) =>
    stores.transaction(async (mine) => (await mine.queries.lock(projectId, queryId))?.tickedUntil);
  expect(await Promise.all(ALL.map(ticked))).toEqual([NOON, NOON - DAY, NOON - DAY, NOON - DAY]);
  await stores.counts.addSeries(OTHER, "1", ["theirs"]);
  await stores.counts.addSeries(P, "1", ["ours"]);
  const letter = { kind: "mention", resourceId: "m", reason: "x", tries: 1, body: { a: 1 } } as const;
  await stores.deadLetters.add({ ...OWN, ...letter, projectId: OTHER }, NOON);
  await stores.deadLetters.replay("all", NOON);
  await stores.deadLetters.add({ ...OWN, ...letter }, NOON);
  expect(await queries.forPolls([OWN])).toMatchObject([{ series: ["ours"], wanted: [] }]);
  await stores.deadLetters.replay("all", NOON);
  expect(await queries.forPolls([OWN])).toMatchObject([{ wanted: [{ kind: "mention", body: { a: 1 } }] }]);
});

const TERMS = { version: "v", since: NOON, bucketMs: 5 * MINUTE };

test("windows are closed asleep while nothing arrived, nothing is open, and the query sleeps by this version", async () => {
  const TICKED = NOON - HOUR;
  const sleep = (facts: object = {}) =>
    queries.setTickedUntil(P, "1", TICKED, { until: NOON + HOUR, version: "v", at: NOON, ...facts });
  const close = async () =>
    (await queries.closeAsleep(ALL, TERMS)).map((one) => `${one.projectId} ${one.queryId}`).join();
  const complete = (instant: number) =>
    changePolls(sql`complete_until = ${new Date(instant)}`, sql`poll = 'added'`);
  await complete(NOON);
  await changePolls(sql`complete_until = ${new Date(NOON)}`, sql`poll = 'updated'`);
  // The others sleep by another version.
  for (const { projectId, queryId } of ALL.slice(1))
    await queries.setTickedUntil(projectId, queryId, TICKED, { until: NOON + HOUR, version: "w", at: NOON });
  await sleep();
  expect(await changed(close)).toEqual(["p 1"]);
  expect((await queries.find(P, "1"))?.tickedUntil).toBe(NOON);
  const closes = async (facts: object = {}) => {
    await sleep(facts);
    return close();
  };
  expect([
    await closes({ version: "w" }),
    await closes({ at: NOON - 1 }),
    await closes({ at: NOON + 1 }),
  ]).toEqual([...["", "", "p 1"]]);
  expect([await closes({ until: NOON }), await closes({ until: NOON + 1 })]).toEqual(["", "p 1"]);
  await sleep();
  await complete(TICKED + 5 * MINUTE - 1);
  expect(await close()).toBe("");
  await complete(NOON);
  // What arrived before or after the windows, at another query, or is over, keeps none of them open.
  const arrive = (key: typeof OWN, arrived: number) =>
    stores.counts.add(key.projectId, key.queryId, [{ series: "s", arrived, bucket: arrived, n: 1 }]);
  for (const key of ALL.slice(1)) await arrive(key, TICKED);
  await arrive(OWN, TICKED - 1);
  await arrive(OWN, NOON);
  const latest = (key: typeof OWN, open: boolean) =>
    sql`insert into earshot.latest_alerts (project_id, fingerprint, query_id, alert_id, open)
      values (${key.projectId}, ${`${key.queryId} ${open}`}, ${key.queryId}, gen_random_uuid(), ${open})`.execute(
      database.db,
    );
  const incident = (key: typeof OWN, endedAt: Date | null) =>
    sql`insert into earshot.incidents (project_id, id, query_id, status, opened_at, ended_at, body)
      values (${key.projectId}, ${uuid7(NOON)}::uuid, ${key.queryId}, 'open', now(), ${endedAt}, '{}')`.execute(
      database.db,
    );
  for (const key of ALL.slice(1)) {
    await latest(key, true);
    await incident(key, null);
  }
  await latest(OWN, false);
  await incident(OWN, new Date(NOON));
  expect(await closes()).toBe("p 1");
  for (const [begin, table] of [
    [() => arrive(OWN, TICKED), "counts"],
    [() => latest(OWN, true), "latest_alerts"],
    [() => incident(OWN, null), "incidents"],
  ] as const) {
    await begin();
    expect(await closes()).toBe("");
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
    expect(await closes()).toBe("p 1");
  }
  await sql`update earshot.queries set active = false`.execute(database.db);
  expect(await closes()).toBe("");
});

test("a query that another worker has is passed over when windows are closed asleep", async () => {
  await queries.setTickedUntil(P, "1", NOON - HOUR, { until: NOON + HOUR, version: "v", at: NOON });
  await changePolls(sql`complete_until = ${new Date(NOON)}`);
  const closing = await stores.transaction(async (mine) => {
    await mine.queries.lock(P, "1");
    return begun(database.db, () => stores.transaction((others) => others.queries.closeAsleep([OWN], TERMS)));
  });
  expect([closing.waits, await closing.result]).toEqual([false, []]);
});

test("one at a time asks for counts, answers a check, and replaces the groups of a project", async () => {
  await countChecks.asked({ ...OWN, queryIds: ["1"], from: NOON, to: NOON, claimed: 1 }, NOON);
  await changePolls(sql`polled_at = ${new Date(NOON + 1)}`);
  const [check] = await countChecks.caughtUp();
  if (check === undefined) throw new Error("it has caught up");
  await queryGroups.replace(P, [{ queryGroupId: "a", name: "a", queryIds: ["1"] }], NOON);
  for (const work of [
    ({ countChecks: mine }: Facts) => mine.lock(),
    ({ countChecks: mine }: Facts) => mine.isOpen(check),
    ({ queryGroups: mine }: Facts) => mine.replace(P, [], NOON),
  ]) {
    const second = await stores.transaction(async (mine) => {
      await work(mine);
      return begun(database.db, () => stores.transaction<unknown>(work));
    });
    await second.result;
    expect(second.waits).toBe(true);
  }
});

test("what a poll covered is corrected as it goes on, and a rejected mention is noted once a month", async () => {
  const interval = {
    ...OWN,
    poll: "added",
    startedAt: NOON,
    fromAt: NOON,
    untilAt: NOON,
    claimed: 1,
    seen: 1,
  } as const;
  for (const stored of [1, 2]) await stores.coverage.record({ ...interval, stored, rejected: 0, gap: 0 });
  const { rows } = await sql`select stored from earshot.coverage`.execute(database.db);
  expect(rows).toEqual([{ stored: 2 }]);
  const reject = (key: typeof OWN, at: number, resourceId = "m", reason = "odd") =>
    stores.coverage.deadLetters(key.projectId, key.queryId, at, [{ resourceId, reason }]);
  const n = async () => (await stores.deadLetters.open(100)).length;
  for (const key of ALL) await reject(key, NOON);
  await reject(OWN, NOON, "other");
  await reject(OWN, NOON, "m", "other");
  expect(await n()).toBe(6);
  await reject(OWN, NOON + 30 * DAY - 1);
  expect(await n()).toBe(6);
  await reject(OWN, NOON + 30 * DAY);
  expect(await n()).toBe(7);
  const all = await stores.deadLetters.open(100);
  await stores.deadLetters.settle(
    P,
    all.map(({ id }) => id),
    NOON,
  );
  await reject(OWN, NOON + 30 * DAY);
  expect(await n()).toBe(3);
});

const groups = (work: () => Promise<unknown>) =>
  changedBy(database.db, "query_groups", ["project_id", "group_id"], work);
const group = (queryGroupId: string, ...queryIds: string[]) => ({
  queryGroupId,
  name: queryGroupId,
  queryIds,
});

test("groups are found, replaced, doubted and tried by themselves", async () => {
  for (const projectId of [P, OTHER])
    await queryGroups.replace(projectId, [group("a", "1"), group("b", "1", "2")], NOON);
  expect((await queryGroups.find(P, ["a"])).map((one) => `${one.projectId} ${one.groupId}`)).toEqual(["p a"]);
  expect(await groups(() => queryGroups.doubt(P, ["a"], NOON))).toEqual(["p a"]);
  const tried = { triedAt: NOON, doubtedAt: null };
  expect(await groups(() => queryGroups.tried([{ projectId: P, groupId: "a" }], tried))).toEqual(["p a"]);
  expect(
    await groups(() => queryGroups.replace(P, [group("a", "1"), group("b", "1", "2")], NOON + 1)),
  ).toEqual([...["p a", "p b"]]);
  const lost = () => queryGroups.replace(P, [group("b", "1")], NOON + 2);
  const polls = (work: () => Promise<unknown>) =>
    changedBy(database.db, "polls", ["project_id", "query_id", "poll"], work);
  // Group a is gone, and b has lost query 2: the polls of both begin again.
  expect(await polls(lost)).toEqual(["p 1 added", "p 1 updated", "p 2 added", "p 2 updated"]);
  expect(await polls(lost)).toEqual([]);
  expect((await queryGroups.find(OTHER, ["a", "b"])).length).toBe(2);
  expect((await queryGroups.find(P, ["a", "b"])).map(({ queryIds }) => queryIds)).toEqual([["1"]]);
});

test("the surplus of a group is what a call brought of members that are not watched in its project", async () => {
  await queryGroups.replace(P, [group("a", "1", "3"), group("b", "3")], NOON);
  await queryGroups.replace(OTHER, [group("a", "1", "3", "5")], NOON);
  await sql`update earshot.queries set query_id = '3' where project_id = ${OTHER} and query_id = '2'`.execute(
    database.db,
  );
  const rows = new Map([
    ["1", 10],
    ["3", 4],
    ["4", 100],
    ["5", 50],
  ]);
  const learn = () => queryGroups.learnSurplus(P, ["a"], { rows, ms: 2 });
  expect(await groups(learn)).toEqual(["p a"]);
  expect((await queryGroups.find(P, ["a"]))[0]?.surplusRate).toBe(2);
  await sql`update earshot.queries set active = false where project_id = ${P}`.execute(database.db);
  await learn();
  expect((await queryGroups.find(P, ["a"]))[0]?.surplusRate).toBe((2 * 3 + 7) / 4);
});

test("a project is large by its watched queries of the source", async () => {
  const large = async (n: number) => [...(await queryGroups.largeProjects("account", n)).keys()];
  await sql`update earshot.queries set active = false where project_id = ${P} and query_id = '2'`.execute(
    database.db,
  );
  expect([await large(0), await large(1), await large(2)]).toEqual([["other", "p"], ["other"], []]);
  expect([...(await queryGroups.largeProjects("feeds", 0)).keys()]).toEqual([]);
});

test("a query is due for a check of its counts when it is watched, read, without a gap, and its day has come", async () => {
  const due = async () => (await countChecks.due(NOON, 10)).map((one) => `${one.projectId} ${one.queryId}`);
  const ready = async () => {
    await changePolls(sql`complete_until = null, state = '{}'`);
    await changePolls(sql`complete_until = now()`, sql`poll = 'added' and project_id = ${P}`);
  };
  await changePolls(sql`complete_until = now()`, sql`poll = 'updated'`);
  expect(await due()).toEqual([]);
  await ready();
  expect(await due()).toEqual(["p 1", "p 2"]);
  expect(await countChecks.due(NOON, 10, "feeds")).toEqual([]);
  await changePolls(sql`state = '{"gap": {}}'`, sql`query_id = '1'`);
  expect(await due()).toEqual(["p 2"]);
  await ready();
  const next = (key: typeof OWN, instant: number) =>
    sql`insert into earshot.counted_queries (project_id, query_id, next_at)
      values (${key.projectId}, ${key.queryId}, ${new Date(instant)})`.execute(database.db);
  await next(OWN, NOON + 1);
  expect(await due()).toEqual(["p 2"]);
  await next({ projectId: P, queryId: "2" }, NOON);
  expect(await due()).toEqual(["p 2"]);
  await sql`update earshot.queries set active = false where query_id = '2'`.execute(database.db);
  expect(await due()).toEqual([]);
  // Of two projects, the one that is due longest.
  await changePolls(sql`complete_until = now()`, sql`poll = 'added'`);
  expect(await due()).toEqual(["other 1"]);
});

test("a check is answered once, and its queries are asked again after a day, or later while it is fruitless", async () => {
  const span = { projectId: P, queryIds: ["1"], from: NOON - HOUR, to: NOON, claimed: 3 };
  await countChecks.asked(span, NOON);
  await countChecks.asked({ ...span, queryIds: ["2"] }, NOON);
  await changePolls(sql`polled_at = ${new Date(NOON)}`);
  expect(await countChecks.caughtUp()).toEqual([]);
  // Its own poll for new mentions counts, and no other.
  await changePolls(sql`polled_at = ${new Date(NOON + 1)}`, sql`not (project_id = ${P} and poll = 'added')`);
  expect(await countChecks.caughtUp()).toEqual([]);
  await changePolls(sql`polled_at = ${new Date(NOON + 1)}`, sql`query_id = '1'`);
  const [check, ...others] = await countChecks.caughtUp();
  if (check === undefined) throw new Error("it has caught up");
  expect([check.queryIds, others]).toEqual([["1"], []]);
  expect([await countChecks.waiting(), await countChecks.waiting("feeds")]).toEqual([2, 0]);
  expect(await countChecks.caughtUp("feeds")).toEqual([]);
  const next = async () =>
    (
      await sql<{
        next: number;
        fruitless: number;
      }>`select next_at as next, fruitless from earshot.counted_queries
        where project_id = ${P} and query_id = '1'`.execute(database.db)
    ).rows[0];
  expect(await countChecks.isOpen(check)).toBe(true);
  await countChecks.settle(check, 2, "Missing", NOON);
  expect(await next()).toEqual({ next: NOON + DAY, fruitless: 1 });
  expect([await countChecks.isOpen(check), await countChecks.waiting()]).toEqual([false, 1]);
  await countChecks.settle(check, 2, "Missing", NOON);
  expect(await next()).toEqual({ next: NOON + 2 * DAY, fruitless: 2 });
  await countChecks.settle(check, 3, "Agrees", NOON);
  expect(await next()).toEqual({ next: NOON + DAY, fruitless: 0 });
  const left = async (now: number) => {
    await countChecks.settle(check, 3, "Narrowed", now);
    return (await sql`select from earshot.count_checks`.execute(database.db)).rows.length;
  };
  expect([await left(NOON + 30 * DAY), await left(NOON + 30 * DAY + 1)]).toEqual([2, 1]);
});

test("a poll reads everything again once, unless it is read just now", async () => {
  const reopened = async (state: object | null, leasedFor: string | null = null) => {
    await changePolls(
      sql`state = ${JSON.stringify(state)}::jsonb, leased_until_wall = now() + ${leasedFor}::interval`,
    );
    return changedBy(database.db, "polls", ["project_id", "query_id", "poll"], reopen);
  };
  const reopen = () => countChecks.reopen({ ...OWN, queryIds: ["1"], from: NOON - HOUR, to: NOON }, 3, NOON);
  const gap = async () => {
    const { rows } = await sql<{ gap: object }>`select state -> 'gap' as gap from earshot.polls
      where (project_id, query_id, poll) = ('p', '1', 'added')`.execute(database.db);
    return rows[0]?.gap;
  };
  expect(await reopened({})).toEqual(["p 1 added"]);
  const begun = { from: NOON - HOUR, tries: 0, missing: 3, noticedAt: NOON };
  expect(await gap()).toEqual(begun);
  expect(await reopen()).toBe(true);
  expect(await gap()).toEqual(begun);
  for (const state of [null, { running: {} }]) expect(await reopened(state)).toEqual([]);
  for (const [from, widened] of [
    [NOON, NOON - HOUR],
    [NOON - 2 * HOUR, NOON - 2 * HOUR],
  ]) {
    await reopened({ gap: { from, tries: 5 } });
    expect(await gap()).toEqual({ from: widened, tries: 5 });
  }
  expect(await reopened({ running: null, gap: null })).toEqual(["p 1 added"]);
  expect(await reopened({}, "1 min")).toEqual([]);
  expect(await reopened({}, "-1 min")).toEqual(["p 1 added"]);
});

test("stored are the mentions, dead letters and deleted ones of the queries, both ends of the time included", async () => {
  const span = { projectId: P, queryIds: ["1"], from: NOON, to: NOON + HOUR };
  const store = async (key: typeof OWN, at: number) => {
    const mention = aMention({ queryId: key.queryId, resourceId: `${at}`, publishedAt: at });
    const page = [{ mention, eventAt: at, story: "s" }];
    await stores.mentions.storePage(key.projectId, stores.mentions.rowsOf(page), NOON);
  };
  const remove = (key: typeof OWN, at: number) =>
    sql`insert into earshot.tombstones (project_id, query_id, resource, event_at, at, reason)
      values (${key.projectId}, ${key.queryId}, ${Buffer.from(`${at}`)}, ${new Date(at)}, now(), 'source')`.execute(
      database.db,
    );
  const letter = { kind: "mention", reason: "x", tries: 1, body: null } as const;
  for (const key of ALL.slice(1)) {
    await store(key, NOON);
    await remove(key, NOON);
    await stores.deadLetters.add({ ...key, ...letter }, NOON);
  }
  const n = () => countChecks.stored(span);
  expect(await n()).toBe(0);
  for (const moment of [NOON - 1, NOON, NOON + HOUR, NOON + HOUR + 1]) await store(OWN, moment);
  expect(await n()).toBe(2);
  for (const moment of [NOON - 1, NOON, NOON + HOUR, NOON + HOUR + 1]) await remove(OWN, moment);
  expect(await n()).toBe(4);
  for (const resourceId of ["open", "settled"])
    await stores.deadLetters.add({ ...OWN, ...letter, resourceId }, NOON);
  expect(await n()).toBe(6);
  const settled = (await stores.deadLetters.open(100)).filter(({ resourceId }) => resourceId === "settled");
  await stores.deadLetters.settle(
    P,
    settled.map(({ id }) => id),
    NOON,
  );
  expect(await n()).toBe(5);
  // The same mention for another reason, one that was stored since, and what is no mention.
  await stores.coverage.deadLetters(P, "1", NOON, [{ resourceId: "open", reason: "y" }]);
  await stores.deadLetters.add({ ...OWN, ...letter, resourceId: `${NOON}` }, NOON);
  await stores.deadLetters.add({ ...OWN, ...letter, kind: "job", scope: "tick p 1" }, NOON);
  expect(await n()).toBe(5);
  await stores.coverage.deadLetters(P, "1", NOON, [{ resourceId: null, reason: "z" }]);
  // It is stored for other queries only.
  await stores.deadLetters.add({ ...OWN, ...letter, resourceId: `${NOON - DAY}` }, NOON);
  for (const key of ALL.slice(1)) await store(key, NOON - DAY);
  expect(await n()).toBe(7);
});
