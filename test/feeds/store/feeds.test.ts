import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import {
  claimFeed,
  closeHost,
  configureFeeds,
  endFetch,
  listFeeds,
  reserveHost,
} from "../../../src/feeds/store/feeds.ts";
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
