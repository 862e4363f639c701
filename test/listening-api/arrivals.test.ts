import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Arrivals, followArrivals } from "../../src/listening-api/store/arrivals.ts";
import { createDatabase, type Database } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { until } from "../until.ts";
import { type Fixture, mentionVersion, resourceId, SEED, startFixture, T0 } from "./fixture.ts";

let fixture: Fixture;
let db: Database;
let stop: () => Promise<void>;
const heard: Arrivals[] = [];
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
    (arrivals) => heard.push(arrivals),
    (error) => broken.push(error),
  );
  await until("it follows", isFollowing, { withinMs: 10_000 });
});
afterAll(async () => {
  await stop();
  await fixture.stop();
});
beforeEach(() => heard.splice(0));

const holders = () =>
  fixture.database.pool.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and query = 'listen local_api_arrivals'",
  );
const isFollowing = async () => (await holders()).rows.length > 0;

test("a commit announces each query once, apart for what is new and what changed", async () => {
  await insertMentions(db, [mention("Alpha"), mention("Alpha"), mention("Beta", 2)]);
  await until("it is announced", () => heard.length > 0, { withinMs: 5_000 });
  expect(heard).toEqual([{ added: [queryOf("Alpha")], updated: [queryOf("Beta")] }]);
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
  await until("the last one is announced", () => heard.length >= 2, { withinMs: 5_000 });
  expect(heard).toEqual([
    { added: [queryOf("Alpha")], updated: [] },
    { added: [queryOf("Beta")], updated: [] },
  ]);
});

test("after its connection broke it follows on another one", async () => {
  const [holder] = (await holders()).rows;
  await fixture.database.pool.query("select pg_terminate_backend($1)", [holder?.pid]);
  await until(
    "another connection follows",
    async () => (await holders()).rows.some(({ pid }) => pid !== holder?.pid),
    { withinMs: 10_000 },
  );
  expect(broken).toHaveLength(1);
  await insertMentions(db, [mention("Alpha")]);
  await until("it is announced", () => heard.length > 0, { withinMs: 5_000 });
});
