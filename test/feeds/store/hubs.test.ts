import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { configureFeeds } from "../../../src/feeds/store/feeds.ts";
import {
  askedHub,
  claimHub,
  endHubLease,
  findHub,
  grantHubLease,
  isPushed,
  makeFeedDue,
  noteHub,
  notePushed,
} from "../../../src/feeds/store/hubs.ts";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { feedsOf, startFeeding } from "../feeding.ts";

const { db, projectId } = await startFeeding({ feeds: feedsOf(), queries: { Acme: "acme" } });
const { rows: made } = await sql<{ id: string }>`
  insert into local_api.project (client_id, name)
  select client_id, 'Elsewhere' from local_api.project where id = ${projectId} returning id`.execute(db);
const others = Number(made[0]?.id);
const KEYS = ["a", "b"];

const hub = (id: string, more: object = {}) => ({
  ...{ id, url: "https://hub.example", topic: "https://blog.example", base: "https://blog.example/feed" },
  ...{ secret: `secret ${id}`, ...more },
});

beforeEach(async () => {
  await sql`delete from feeds.feed`.execute(db);
  for (const project of [projectId, others]) {
    const feeds = KEYS.map((key) => ({ key, kind: "rss", name: key, host: "h.example", everyMs: HOUR }));
    await configureFeeds(db, project, feeds);
    for (const key of KEYS) await noteHub(db, project, key, hub(`${project} ${key}`));
  }
  await sql`update feeds.hub set next_at = now() - interval '1 minute' where key = 'a'`.execute(db);
});

const id = (key: string, project = projectId) => `${project} ${key}`;
const claim = (more: { callback?: string; keys?: readonly string[] } = {}) =>
  claimHub(db, projectId, more.keys ?? KEYS, { callback: more.callback ?? "https://us", retryMs: MINUTE });
const all = async () => {
  const { rows } = await sql<{ id: string } & Record<string, unknown>>`
    select * from feeds.hub order by project_id, key`.execute(db);
  return rows;
};
const butFor = async (one: string) => (await all()).filter((row) => row.id !== one);
const of = async (one: string) => (await all()).find((row) => row.id === one);

test("another hub or topic of a feed begins anew, the same one stays, and none takes it away", async () => {
  const rest = await butFor(id("a"));
  await noteHub(db, projectId, "a", hub("new", { base: "https://moved.example/feed" }));
  expect(await of(id("a"))).toMatchObject({
    base: "https://moved.example/feed",
    secret: `secret ${id("a")}`,
  });
  await noteHub(db, projectId, "a", hub("new", { topic: "https://other.example" }));
  expect(await of("new")).toMatchObject({ topic: "https://other.example", secret: "secret new" });
  await noteHub(
    db,
    projectId,
    "a",
    hub("newer", { topic: "https://other.example", url: "https://h2.example" }),
  );
  expect(await of("newer")).toMatchObject({ hub: "https://h2.example" });
  await noteHub(db, projectId, "a", null);
  expect(await all()).toEqual(rest);
});

test("a hub is asked by one worker, the one that has waited longest first, and seldomer each time", async () => {
  const got = await Promise.all([claim(), claim(), claim()]);
  expect(got.map((one) => one?.key ?? null)).toEqual(expect.arrayContaining(["a", "b", null]));
  const wait = async () => {
    const { rows } = await sql<{ minutes: number }>`
      select round(extract(epoch from next_at - now()) / 60)::integer as minutes from feeds.hub
      where id = ${id("a")}`.execute(db);
    return rows[0]?.minutes;
  };
  const waits = [await wait()];
  for (let round = 0; round < 6; round++) {
    await sql`update feeds.hub set next_at = now() - interval '1 hour' where id = ${id("a")}`.execute(db);
    expect((await claim())?.key).toBe("a");
    waits.push(await wait());
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 32]);
  expect((await of(id("a", others)))?.["attempts"]).toBe(0);
});

test("who asks a hub does not wait for a worker that is at another one", async () => {
  const other = await db.transaction().execute(async (own) => {
    expect(await claimHub(own, projectId, KEYS, { callback: "https://us", retryMs: MINUTE })).toMatchObject({
      key: "a",
    });
    return db.transaction().execute(async (second) => {
      await sql`set local lock_timeout = '1s'`.execute(second);
      return claimHub(second, projectId, KEYS, { callback: "https://us", retryMs: MINUTE });
    });
  });
  expect(other).toMatchObject({ key: "b" });
});

test("of the hubs only those of the feeds of this process are asked", async () => {
  expect(await claim({ keys: ["b"] })).toMatchObject({ key: "b" });
  expect(await claim({ keys: ["b"] })).toBeNull();
});

test("a hub that calls another address of us is asked again, but not in turns", async () => {
  await claim();
  await grantHubLease(db, id("a"), HOUR);
  expect(await isPushed(db, projectId, "a")).toBe(true);
  expect(await claim({ keys: ["a"], callback: "https://we" })).toBeNull();
  await sql`update feeds.hub set asked_at = now() - interval '6 minutes'`.execute(db);
  expect(await claim({ keys: ["a"] })).toBeNull();
  expect(await claim({ keys: ["a"], callback: "https://we" })).toMatchObject({ key: "a" });
  expect(await isPushed(db, projectId, "a")).toBe(false);
});

test("what a hub says concerns it alone", async () => {
  const rest = await butFor(id("a"));
  await askedHub(db, projectId, "a", "it was away");
  expect(await of(id("a"))).toMatchObject({ problem: "it was away" });
  await grantHubLease(db, id("a"), HOUR);
  expect(await of(id("a"))).toMatchObject({ problem: null, attempts: 0 });
  expect([await isPushed(db, projectId, "b"), await isPushed(db, others, "a")]).toEqual([false, false]);
  await notePushed(db, id("a"));
  expect((await of(id("a")))?.["pushed_at"]).not.toBeNull();
  await endHubLease(db, id("a"), "denied");
  expect(await isPushed(db, projectId, "a")).toBe(false);
  expect(await butFor(id("a"))).toEqual(rest);
});

test("a hub that calls is known by its id, in its project, and by whether it was asked of late", async () => {
  expect(await findHub(db, projectId, id("a", others))).toBeNull();
  expect(await findHub(db, projectId, id("a"))).toMatchObject({
    key: "a",
    isAsked: false,
    isConfigured: true,
  });
  await claim();
  expect(await findHub(db, projectId, id("a"))).toMatchObject({ isAsked: true });
  await sql`update feeds.hub set asked_at = now() - interval '25 hours'`.execute(db);
  await configureFeeds(db, projectId, []);
  expect(await findHub(db, projectId, id("a"))).toMatchObject({ isAsked: false, isConfigured: false });
});

test("one feed is due, and one that is fetched no more stays so", async () => {
  const due = async () => {
    const { rows } = await sql`
      select project_id = ${projectId} as own, key, next_at <= now() as due from feeds.feed order by 1, 2`.execute(
      db,
    );
    return rows;
  };
  await sql`update feeds.feed set next_at = now() + interval '1 hour'`.execute(db);
  await makeFeedDue(db, projectId, "a");
  expect(await due()).toEqual([
    { own: false, key: "a", due: false },
    { own: false, key: "b", due: false },
    { own: true, key: "a", due: true },
    { own: true, key: "b", due: false },
  ]);
  await sql`update feeds.feed set next_at = null where key = 'b'`.execute(db);
  await makeFeedDue(db, projectId, "b");
  expect((await due()).at(-1)).toEqual({ own: true, key: "b", due: null });
});
