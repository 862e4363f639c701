import { gzipSync } from "node:zlib";
import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY, MINUTE } from "../../src/lib/instant.ts";
import { fetchOnce, plannedOf } from "../contracts/feed.ts";
import { type FeedAnswer, type RssItem, rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { feedsOf, startFeeding } from "./feeding.ts";

const [server, other] = [await startFeedServer(), await startFeedServer()];
afterAll(() => Promise.all([server.close(), other.close()]));
const feeding = await startFeeding({
  feeds: feedsOf({ kind: "rss", urls: [`${server.url}/blog`, `${server.url}/news`] }),
  queries: { Acme: "acme" },
});
const { db } = feeding;
const start = systemClock.now();
const item = (n: number, more: RssItem = {}): RssItem => ({
  ...{ guid: `id-${n}`, title: `Acme ${n}`, link: `https://blog.example/p/${n}`, html: `<p>About ${n}</p>` },
  ...{ date: new Date(start - (100 - n) * MINUTE).toUTCString() },
  ...more,
});
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const serve = (items: readonly RssItem[], page = "/blog") =>
  server.pages.set(page, { body: rssDocument([...items]) });
const titles = async () => (await feeding.mentions()).map(({ title }) => title).sort();
const blog = async () => {
  const { rows } = await sql<{ notes: Record<string, string>; wait: number; gaps: number }>`
    select notes, extract(epoch from next_at - now())::double precision as wait,
      (select count(*)::integer from feeds.gap g where g.key = f.key) as gaps
    from feeds.feed f where name like '%/blog'`.execute(db);
  return rows[0];
};

beforeEach(async () => {
  for (const one of [server, other]) {
    one.pages.clear();
    one.requests.length = 0;
  }
  serve([], "/news");
  await sql`delete from local_api.mention`.execute(db);
  await sql`delete from local_api.received_item`.execute(db);
  await sql`delete from feeds.gap`.execute(db);
  await sql`update feeds.feed set state = '{}', failures = 0, problem = null, notes = '{}'`.execute(db);
});

test("a document that turned over between two fetches is a gap, and is read more often", async () => {
  serve(range(1, 20).map((n) => item(n)));
  await feeding.fetchAll();
  serve(range(10, 30).map((n) => item(n)));
  await feeding.fetchAll();
  expect(await blog()).toMatchObject({ gaps: 0 });
  serve(range(51, 70).map((n) => item(n)));
  await feeding.fetchAll();
  const after = await blog();
  expect(after).toMatchObject({ gaps: 1 });
  expect(after?.wait).toBeLessThan(5.5 * 60);
  expect(after?.notes["covers"]).toMatch(
    /^its document covers 19m, and is read every \dm.* \(and not every 10m/,
  );
  expect(await titles()).toHaveLength(50);
});

test("a document that breaks off is no gap; the whole one after it shows whether there is one", async () => {
  const breakOff = (from: number, to: number) => {
    const document = rssDocument(
      range(from, to)
        .map((n) => item(n))
        .reverse(),
    );
    server.pages.set("/blog", { body: document.slice(0, document.indexOf(`Acme ${from + 5}<`)) });
  };
  serve(range(1, 10).map((n) => item(n)));
  await feeding.fetchAll();
  breakOff(5, 20);
  await feeding.fetchAll();
  expect(await blog()).toMatchObject({ gaps: 0 });
  expect(await titles()).toHaveLength(20);
  serve(range(5, 20).map((n) => item(n)));
  await feeding.fetchAll();
  expect(await blog()).toMatchObject({ gaps: 0 });
  breakOff(31, 50);
  await feeding.fetchAll();
  expect(await blog()).toMatchObject({ gaps: 0 });
  serve(range(31, 50).map((n) => item(n)));
  await feeding.fetchAll();
  expect(await blog()).toMatchObject({ gaps: 1 });
});

test("a feed whose old items are not kept has no gap for its first new one", async () => {
  const old = item(1, { date: new Date(start - 200 * DAY).toUTCString() });
  serve([old]);
  await feeding.fetchAll();
  serve([item(2), old]);
  await feeding.fetchAll();
  expect(await blog()).toMatchObject({ gaps: 0 });
  expect(await titles()).toEqual(["Acme 2"]);
});

test("a feed that had no item yet has no gap for its first one", async () => {
  serve([]);
  await feeding.fetchAll();
  // Unchanged, it is empty still.
  await feeding.fetchAll();
  serve([item(1)]);
  await feeding.fetchAll();
  expect(await blog()).toMatchObject({ gaps: 0 });
  expect(await titles()).toEqual(["Acme 1"]);
});

describe("makes no second mention", () => {
  test.each<[string, (n: number) => RssItem]>([
    ["new ids", (n) => item(n, { guid: `new-${n}` })],
    ["new ids and titles", (n) => item(n, { guid: `new-${n}`, title: `Acme, again ${n}` })],
    [
      "another host",
      (n) => item(n, { guid: `https://new.example/p/${n}`, link: `https://new.example/p/${n}` }),
    ],
  ])("a feed with %s", async (_name, change) => {
    serve(range(1, 5).map((n) => item(n)));
    await feeding.fetchAll();
    for (let round = 0; round < 2; round++) {
      serve(range(1, 5).map(change));
      await feeding.fetchAll();
    }
    expect(await titles()).toEqual(range(1, 5).map((n) => change(n).title));
  });

  test("a feed that moves to another domain; it is asked there, and its owner is told", async () => {
    const moved: FeedAnswer = { status: 301, headers: { location: `${other.url}/new` } };
    serve(range(1, 5).map((n) => item(n)));
    await feeding.fetchAll();
    server.pages.set("/blog", moved);
    const there = range(1, 6).map((n) => item(n, { link: `https://new.example/p/${n}` }));
    other.pages.set("/new", { body: rssDocument(there) });
    for (let round = 0; round < 3; round++) await feeding.fetchAll();
    expect(await titles()).toHaveLength(6);
    expect((await blog())?.notes["moved"]).toBe(
      `its address has moved for good, to ${other.url}/new: write that into earshot.yaml`,
    );
    // The old address is not asked for ever.
    expect(server.requests.filter(({ path }) => path === "/blog")).toHaveLength(2);
    // If the new one fails, the old one is asked again.
    other.pages.clear();
    serve(range(1, 7).map((n) => item(n)));
    await feeding.fetchAll();
    expect(await titles()).toHaveLength(7);
    expect((await blog())?.notes["moved"]).toBeUndefined();
  });

  test("a feed that has moved back, while another page stands where it was meanwhile", async () => {
    server.pages.set("/blog", { status: 301, headers: { location: `${other.url}/new` } });
    other.pages.set("/new", { body: rssDocument([item(1)]) });
    await feeding.fetchAll();
    // The new host was given up, and its address shows a page of somebody else.
    other.pages.set("/new", { body: "<!DOCTYPE html><html><title>For sale</title></html>" });
    serve([item(1), item(2)]);
    await feeding.fetchAll();
    expect(await titles()).toEqual(["Acme 1", "Acme 2"]);
    expect((await feeding.feeds()).map(({ problem }) => problem)).toEqual([null, null]);
  });

  test("a redirect that may end is followed, and not remembered", async () => {
    server.pages.set("/blog", { status: 302, headers: { location: `${other.url}/new` } });
    other.pages.set("/new", { body: rssDocument([item(1)]) });
    for (let round = 0; round < 2; round++) await feeding.fetchAll();
    expect(server.requests.filter(({ path }) => path === "/blog")).toHaveLength(2);
    expect((await blog())?.notes["moved"]).toBeUndefined();
  });
});

test("items that share a page, and items on the front page, are told apart", async () => {
  const shared = range(1, 3).map((n) =>
    item(n, { link: "https://blog.example/podcast", date: item(1).date ?? "" }),
  );
  serve(shared);
  await feeding.fetchAll();
  serve([...shared, item(4, { link: "https://blog.example/" }), item(5, { link: "https://blog.example/" })]);
  await feeding.fetchAll();
  expect(await titles()).toHaveLength(5);
});

test("headers and a login are sent to the server of the feed, and to no other, also when it has moved", async () => {
  const login = { user: "ann", password: "secret" };
  const feed = plannedOf({
    ...{
      kind: "rss",
      urls: [`${server.url}/key`],
      headers: { "X-Api-Key": "7", "User-Agent": "Reader" },
      login,
    },
  });
  server.pages.set("/key", { body: rssDocument([item(1)]) });
  expect((await fetchOnce(feed)).read.items).toHaveLength(1);
  expect(server.requests.at(-1)?.headers).toMatchObject({
    ...{ "x-api-key": "7", "user-agent": "Reader", authorization: "Basic YW5uOnNlY3JldA==" },
  });
  server.pages.set("/key", { status: 308, headers: { location: `${other.url}/key` } });
  other.pages.set("/key", { body: rssDocument([item(1)]) });
  const { state } = await fetchOnce(feed);
  await fetchOnce(feed, state);
  expect(other.requests).toHaveLength(2);
  for (const { headers } of other.requests) {
    expect(headers["x-api-key"]).toBeUndefined();
    expect(headers.authorization).toBeUndefined();
    expect(headers["user-agent"]).toBe("Earshot/test");
  }
});

test("a document of 6 MB is read, and one that is larger than its key says is refused", async () => {
  const large = item(1, { html: "x".repeat(6_000_000) });
  server.pages.set("/large", { body: rssDocument([large]) });
  const feedOf = (more: object) => plannedOf({ kind: "rss", urls: [`${server.url}/large`], ...more });
  expect((await fetchOnce(feedOf({}))).read.items).toHaveLength(1);
  await expect(fetchOnce(feedOf({ maxMegabytes: 5 }))).rejects.toThrow("its answer is larger than 5 MB");
  // Packed without a word, it counts as what it is.
  server.pages.set("/large", { body: gzipSync(rssDocument([large])) });
  expect((await fetchOnce(feedOf({}))).read.items).toHaveLength(1);
  await expect(fetchOnce(feedOf({ maxMegabytes: 5 }))).rejects.toThrow("its answer is larger than 5 MB");
});

test("a file that is packed without a word is read", async () => {
  server.pages.set("/feed.xml.gz", { body: gzipSync(rssDocument([item(1)])) });
  const feed = plannedOf({ kind: "rss", urls: [`${server.url}/feed.xml.gz`] });
  expect((await fetchOnce(feed)).read.items).toHaveLength(1);
});

test.each([
  [503, false],
  [429, true],
])(
  "a server that answers %i with Retry-After for one address silences its host: %s",
  async (status, isSilenced) => {
    server.pages.set("/blog", { status, headers: { "retry-after": "1800" } });
    await sql`update feeds.feed set next_at = now() + interval '1 day' where name like '%/news'`.execute(db);
    await sql`update feeds.feed set next_at = now() where name like '%/blog'`.execute(db);
    const worker = feeding.worker();
    while ((await worker.fetchNext()) !== null);
    const { rows } = await sql`select from feeds.host where next_at > now() + interval '20 minutes'`.execute(
      db,
    );
    expect(rows).toHaveLength(isSilenced ? 1 : 0);
    expect((await blog())?.wait).toBeGreaterThan(1_700);
  },
);

test("a page that asks for a day silences the other feeds of its host for an hour at most", async () => {
  server.pages.set("/blog", { status: 429, headers: { "retry-after": "86400" } });
  await sql`delete from feeds.host`.execute(db);
  await sql`update feeds.feed set next_at = now() where name like '%/blog'`.execute(db);
  const worker = feeding.worker();
  while ((await worker.fetchNext()) !== null);
  const { rows } = await sql`select from feeds.host where next_at > now() + interval '61 minutes'`.execute(
    db,
  );
  expect(rows).toHaveLength(0);
  expect((await blog())?.wait).toBeGreaterThan(86_000);
});
