import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import {
  claimFeed,
  closeHost,
  configureFeeds,
  countPushed,
  endFetch,
  endUnread,
  extendLease,
  failStream,
  keepStream,
  type LeasedFeed,
  listFeeds,
  noteReading,
  putGap,
  putNotes,
  releaseFeed,
  reserveHost,
} from "../../../src/feeds/store/feeds.ts";
import { makeFeedDue } from "../../../src/feeds/store/hubs.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/lib/instant.ts";
import { feedsOf, startFeeding } from "../feeding.ts";

const { db, projectId } = await startFeeding({ feeds: feedsOf(), queries: { Acme: "acme" } });
const feeds = ["a", "b"].map((key) => ({
  ...{ key, kind: "rss", name: key, host: `${key}.example`, everyMs: HOUR },
}));
const keys = feeds.map(({ key }) => key);
const configure = (of = feeds) => configureFeeds(db, projectId, of);
const claim = () => claimFeed(db, projectId, keys, MINUTE);
const shown = async (key: string) => {
  const { at, feeds } = await listFeeds(db, projectId);
  const found = feeds.find((one) => one.key === key);
  if (found === undefined) throw new Error("there is no such feed");
  return { at, ...found };
};

beforeEach(async () => {
  await sql`delete from feeds.feed`.execute(db);
  await sql`delete from feeds.host`.execute(db);
  await configure();
});

test("the feed that has waited longest is fetched first, whatever it is called", async () => {
  await sql`update feeds.feed set next_at = now() - case key when 'a' then interval '1 minute' else interval '1 hour' end
  `.execute(db);
  expect([(await claim())?.key, (await claim())?.key, await claim()]).toEqual(["b", "a", null]);
});

test("a feed that is configured again counts as added then, and one that stays as before", async () => {
  await sql`update feeds.feed set added_at = now() - interval '90 days'`.execute(db);
  await configure(feeds.slice(1));
  await configure();
  const [again, stayed] = [await shown("a"), await shown("b")];
  expect(again.at - again.addedAt).toBeLessThan(MINUTE);
  expect(stayed.at - stayed.addedAt).toBeGreaterThanOrEqual(90 * DAY);
});

test("a fetch without an item is no item of today, and those of yesterday are none either", async () => {
  const fetched = async (items: number) => {
    await sql`update feeds.feed set next_at = now() where key = 'a'`.execute(db);
    await sql`update feeds.feed set next_at = null where key = 'b'`.execute(db);
    const leased = await claim();
    const end = { state: {}, nextInMs: HOUR, problem: null, items, matched: items };
    expect(leased !== null && (await endFetch(db, projectId, leased, end))).toBe(true);
    const { itemAt, itemsToday, matchedToday } = await shown("a");
    return [itemAt !== null, itemsToday, matchedToday];
  };
  expect([await fetched(0), await fetched(2), await fetched(1)]).toEqual([
    [false, 0, 0],
    [true, 2, 2],
    [true, 3, 3],
  ]);
  await sql`update feeds.feed set counted_on = counted_on - 1, item_at = null`.execute(db);
  expect(await shown("a")).toMatchObject({ itemsToday: 0, matchedToday: 0 });
  expect([await fetched(0), await fetched(1)]).toEqual([
    [false, 0, 0],
    [true, 1, 1],
  ]);
});

test("a host is asked by one after the other, and a shorter pause does not end a longer one", async () => {
  const reserve = (host: string) => reserveHost(db, host, { count: 3, paceMs: 10 * SECOND });
  expect(await reserve("c.example")).toBe(0);
  expect(await reserve("c.example")).toBeGreaterThan(25 * SECOND);
  expect(await reserve("c.example")).toBeGreaterThan(55 * SECOND);
  await closeHost(db, "b.example", HOUR);
  await closeHost(db, "b.example", MINUTE);
  expect(await reserve("b.example")).toBeGreaterThan(59 * MINUTE);
  expect((await claim())?.key).toBe("a");
  expect(await claim()).toBeNull();
});

/** A feed of the same key in another project: nothing of it changes. */
async function elsewhere(): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.project (client_id, name) select client_id, 'Elsewhere' from local_api.project where id = ${projectId}
    on conflict (client_id, name) do update set name = excluded.name returning id`.execute(db);
  const id = Number(rows[0]?.id);
  await configureFeeds(db, id, feeds);
  return id;
}

const rowOf = async (key: string, project = projectId) => {
  const { rows } = await sql<Record<string, unknown>>`
    select * from feeds.feed where project_id = ${project} and key = ${key}`.execute(db);
  return rows[0];
};

async function claimed(): Promise<LeasedFeed> {
  const leased = await claimFeed(db, projectId, ["a"], MINUTE);
  if (leased === null) throw new Error("none is due");
  return leased;
}

test("nobody else gets a feed until its lease ends, and many at once get each once", async () => {
  const others = await elsewhere();
  const got = await Promise.all([claim(), claim(), claim(), claim()]);
  expect(got.flatMap((one) => one?.key ?? []).toSorted()).toEqual(["a", "b"]);
  await sql`update feeds.feed set next_at = now()`.execute(db);
  expect(await claim()).toBeNull();
  await sql`update feeds.feed set lease_until = now() where key = 'b'`.execute(db);
  expect((await claim())?.key).toBe("b");
  expect(await claimFeed(db, others, ["b"], MINUTE)).toMatchObject({ key: "b" });
  expect(await claimFeed(db, others, ["b", "c"], MINUTE)).toBeNull();
});

test("who claims a feed does not wait for a worker that is at it", async () => {
  const other = await db.transaction().execute(async (own) => {
    expect(await claimFeed(own, projectId, keys, MINUTE)).toMatchObject({ key: "a" });
    return db.transaction().execute(async (second) => {
      await sql`set local lock_timeout = '1s'`.execute(second);
      return claimFeed(second, projectId, keys, MINUTE);
    });
  });
  expect(other).toMatchObject({ key: "b" });
});

test("a feed of a host that may not be asked for long is left alone", async () => {
  await closeHost(db, "a.example", MINUTE);
  await closeHost(db, "b.example", 20 * SECOND);
  expect([(await claim())?.key, await claim()]).toEqual(["b", null]);
});

test("a worker that has lost its lease changes nothing any more, and no other feed", async () => {
  const others = await elsewhere();
  const leased = await claimed();
  const { key } = leased;
  const stale = { ...leased, lease: randomUUID() };
  const end = { state: { n: 1 }, nextInMs: HOUR, problem: null, items: 1, matched: 1 };
  const reading = { name: "page", readings: 1, nextInMs: HOUR };
  const stream = { ...end, leaseMs: HOUR };
  const fails = { problem: "away", leaseMs: HOUR };
  const every = (one: LeasedFeed) => [
    () => noteReading(db, projectId, one, reading),
    () => extendLease(db, projectId, one, HOUR),
    () => keepStream(db, projectId, one, stream),
    () => failStream(db, projectId, one, fails),
    () => releaseFeed(db, projectId, one),
    () => endUnread(db, projectId, one, "too long"),
    () => endFetch(db, projectId, one, end),
  ];
  const before = await rowOf(key);
  const rest = await Promise.all([rowOf("b"), rowOf("a", others), rowOf("b", others)]);
  for (const work of every(stale)) expect(await work()).not.toBe(true);
  expect(await rowOf(key)).toEqual(before);
  for (const work of every(leased)) {
    await sql`update feeds.feed set lease = ${leased.lease} where project_id = ${projectId} and key = ${key}`.execute(
      db,
    );
    expect(await work()).not.toBe(false);
    const after = await rowOf(key);
    expect(after).not.toEqual(before);
  }
  expect(await Promise.all([rowOf("b"), rowOf("a", others), rowOf("b", others)])).toEqual(rest);
});

test("a feed that is asked for while it is fetched is fetched once more at once", async () => {
  const leased = await claimed();
  const end = { state: {}, nextInMs: HOUR, problem: null, items: 0, matched: 0 };
  const due = async () => {
    const { at, nextAt } = await shown("a");
    return (nextAt ?? 0) - at;
  };
  await noteReading(db, projectId, leased, { name: "page", readings: 1, nextInMs: HOUR });
  await makeFeedDue(db, projectId, "a");
  expect(await endFetch(db, projectId, leased, end)).toBe(true);
  expect(await due()).toBeLessThanOrEqual(0);
  expect(await endFetch(db, projectId, await claimed(), end)).toBe(true);
  expect(await due()).toBeGreaterThan(MINUTE);
  // Its address is gone for good: nobody can ask for it any more.
  await sql`update feeds.feed set next_at = now()`.execute(db);
  const last = await claimed();
  await makeFeedDue(db, projectId, "a");
  expect(await endFetch(db, projectId, last, { ...end, nextInMs: null })).toBe(true);
  expect((await shown("a")).nextAt).toBeNull();
});

test("a gap, a note and a push belong to one feed of one project", async () => {
  const others = await elsewhere();
  const gap = { from: 0, to: HOUR, reason: "away" };
  for (const [project, key] of [
    [projectId, "a"],
    [projectId, "b"],
    [others, "a"],
  ] as const)
    await putGap(db, project, key, gap);
  await sql`update feeds.gap set noticed_at = now() - interval '31 days'`.execute(db);
  await putGap(db, projectId, "a", gap);
  const gaps = await sql`
    select project_id = ${projectId} as own, key, noticed_at > now() - interval '1 day' as fresh from feeds.gap
    order by 1, 2, 3`.execute(db);
  expect(gaps.rows).toEqual([
    { own: false, key: "a", fresh: false },
    { own: true, key: "a", fresh: true },
    { own: true, key: "b", fresh: false },
  ]);
  await putGap(db, others, "b", gap);
  expect([(await shown("a")).gap?.reason, (await shown("b")).gap]).toEqual(["away", null]);
  const rest = await Promise.all([rowOf("b"), rowOf("a", others)]);
  await putNotes(db, projectId, "a", { size: "It is large.", away: null });
  await countPushed(db, projectId, "a", { items: 2, matched: 1, edited: 1 });
  await makeFeedDue(db, projectId, "a");
  expect(await shown("a")).toMatchObject({ notes: ["It is large."], itemsToday: 2, matchedToday: 1 });
  expect(await rowOf("a")).toMatchObject({ state: { pushedEdits: 1 } });
  expect(await Promise.all([rowOf("b"), rowOf("a", others)])).toEqual(rest);
});

test("one that was given up is tried at once when it is configured again, and one that ended a process is not", async () => {
  const others = await elsewhere();
  await sql`update feeds.feed set next_at = null where key = 'a'`.execute(db);
  await sql`update feeds.feed set readings = 1, next_at = now() + interval '1 hour' where key = 'b'`.execute(
    db,
  );
  const theirs = [await rowOf("a", others), await rowOf("b", others)];
  await configure(feeds.slice(0, 1));
  expect([(await shown("a")).isConfigured, (await shown("b")).isConfigured]).toEqual([true, false]);
  expect([await rowOf("a", others), await rowOf("b", others)]).toEqual(theirs);
  await configure();
  expect((await claim())?.key).toBe("a");
  expect(await claim()).toBeNull();
});
