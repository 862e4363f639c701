import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Arrivals, announceArrivals, followArrivals } from "../../src/listening-api/store/arrivals.ts";
import { createDatabase, type Database } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import type { MentionVersion } from "../../src/listening-api/store/mention-version.ts";
import { until } from "../until.ts";
import { type Fixture, mentionVersion, resourceId, SEED, startFixture, T0 } from "./fixture.ts";

let fixture: Fixture;
let db: Database;
let stop: () => Promise<void>;
const announced: Arrivals[] = [];
const broken: unknown[] = [];
const queryOf = (name: string): number => fixture.account.queries.get(name) ?? 0;
let ids = 0;
const mention = (queryName: string, version = 1) =>
  mentionVersion({ queryId: queryOf(queryName), resourceId: resourceId(++ids) }, { added: T0, version });

beforeAll(async () => {
  fixture = await startFixture(SEED);
  db = createDatabase(fixture.database.pool);
  stop = followArrivals(
    fixture.database.pool,
    (arrivals) => announced.push(arrivals),
    (error) => broken.push(error),
  );
  await until("it follows", isFollowing, { withinMs: 10_000 });
});
afterAll(async () => {
  await stop();
  await fixture.stop();
});
beforeEach(() => announced.splice(0));

const holders = () =>
  fixture.database.pool.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and query = 'listen local_api_arrivals'",
  );
const isFollowing = async () => (await holders()).rows.length > 0;

test("a commit announces each query once, apart for what is new and what changed", async () => {
  await insertMentions(db, [mention("Alpha"), mention("Alpha"), mention("Beta", 2)]);
  await until("it is announced", () => announced.length > 0, { withinMs: 5_000 });
  expect(announced).toEqual([{ added: [queryOf("Alpha")], updated: [queryOf("Beta")] }]);
});

test("what is rolled back is not announced, and what was stored already neither", async () => {
  const stored = mention("Alpha");
  const failing = db.transaction().execute(async (tx) => {
    await insertMentions(tx, [mention("Beta")]);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await insertMentions(db, [stored]);
  await insertMentions(db, [stored]);
  await insertMentions(db, [mention("Beta")]);
  await until("the last one is announced", () => announced.length >= 2, { withinMs: 5_000 });
  expect(announced).toEqual([
    { added: [queryOf("Alpha")], updated: [] },
    { added: [queryOf("Beta")], updated: [] },
  ]);
});

test("after its connection broke it follows on another one", async () => {
  const [holder] = (await holders()).rows;
  await fixture.database.pool.query("select pg_terminate_backend($1)", [holder?.pid]);
  const follows = async () => (await holders()).rows.some(({ pid }) => pid !== holder?.pid);
  await expect.poll(follows, { timeout: 10_000 }).toBe(true);
  expect(broken).toHaveLength(1);
  await insertMentions(db, [mention("Alpha")]);
  await until("it is announced", () => announced.length > 0, { withinMs: 5_000 });
});

test("what nobody announced is found by the revisions of the queries, once", async () => {
  const found: Arrivals[] = [];
  const end = followArrivals(
    fixture.database.pool,
    (arrivals) => found.push(arrivals),
    () => {},
    50,
  );
  // It has seen the revisions once.
  await delay(500);
  await fixture.database.pool.query("update local_api.query set revision = revision + 1 where id = $1", [
    queryOf("Beta"),
  ]);
  const once = [{ added: [queryOf("Beta")], updated: [queryOf("Beta")] }];
  await expect.poll(() => found, { timeout: 5_000 }).toEqual(once);
  await delay(500);
  await end();
  expect(found).toEqual(once);
});

const mentionsOf = (...names: readonly string[]) =>
  fixture.get(`/projects/${fixture.account.projectId}/data/mentions`, [
    ...names.map((name) => ["queryId", queryOf(name)] as const),
    ["startDate", "2026-03-01"],
    ["endDate", "2026-03-09"],
  ]);
const revisionOf = async (name: string) => String((await mentionsOf(name)).headers["x-query-revision"]);

test("a page about one query says how often it was written to, and rises with every write", async () => {
  const before = Number(await revisionOf("Alpha"));
  const one = mention("Alpha");
  await insertMentions(db, [one]);
  expect(Number(await revisionOf("Alpha"))).toBe(before + 1);
  await insertMentions(db, [{ ...one, version: 2, updated: T0 + 1 }]);
  expect(Number(await revisionOf("Alpha"))).toBe(before + 2);
  const both = await mentionsOf("Alpha", "Beta");
  expect(both.status).toBe(200);
  expect(both.headers).not.toHaveProperty("x-query-revision");
});

test("the revision is from before the page: what is written while it is read shows in a later one", async () => {
  const before = await revisionOf("Alpha");
  const writer = await fixture.database.pool.connect();
  // Nobody reads a mention before it has committed.
  await writer.query("begin");
  await writer.query("lock table local_api.mention in access exclusive mode");
  const asked = mentionsOf("Alpha");
  const isWaiting = async () => {
    const { rows } = await fixture.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length;
  };
  await expect.poll(isWaiting, { timeout: 10_000 }).toBe(1);
  await writer.query("update local_api.query set revision = revision + 1 where id = $1", [queryOf("Alpha")]);
  await writer.query("commit");
  writer.release();
  expect((await asked).headers["x-query-revision"]).toBe(before);
  expect(await revisionOf("Alpha")).not.toBe(before);
});

test("a page of more queries than fit into one announcement is announced in parts", async () => {
  const ids = Array.from({ length: 1_200 }, (_, n) => 1_000_000_000 + n);
  const versions = ids.map((queryId) => ({ version: 1, record: { queryId } }) as unknown as MentionVersion);
  await expect(announceArrivals(db, versions)).resolves.toBeUndefined();
  await until("all are announced", () => announced.flatMap(({ added }) => added).length === 1_200, {
    withinMs: 5_000,
  });
  expect(announced.flatMap(({ added }) => added)).toEqual(ids);
});

test("a connection that listened is nobody else's", async () => {
  const pool = new Pool({ ...fixture.database.pool.options, max: 1 });
  pool.on("error", () => {});
  const end = followArrivals(
    pool,
    () => {},
    () => {},
  );
  await until("it listens", () => pool.totalCount === 1 && pool.idleCount === 0, { withinMs: 5_000 });
  await end();
  const { rows } = await pool.query("select pg_listening_channels() as channel");
  await pool.end();
  expect(rows).toEqual([]);
});
