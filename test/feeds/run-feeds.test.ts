import { sql } from "kysely";
import { afterAll, beforeEach, expect, test } from "vitest";
import { rss } from "../../src/feeds/kinds/rss.ts";
import { toArrived } from "../../src/feeds/run/to-arrived.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY, MINUTE } from "../../src/lib/instant.ts";
import { TransientError } from "../../src/lib/retry.ts";
import { receiveItems } from "../../src/listening-api/arrive/receive-items.ts";
import { lookBack } from "../../src/listening-api/assign/look-back.ts";
import type { Database } from "../../src/listening-api/store/database.ts";
import { deleteMentions } from "../../src/listening-api/store/delete-things.ts";
import { insertQuery } from "../../src/listening-api/store/queries.ts";
import { lockReceivedQuery } from "../../src/listening-api/store/received-items.ts";
import { type FeedServer, type RssItem, rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { feedsOf, startFeeding } from "./feeding.ts";
import { noEnricher, noEnrichment } from "./no-enricher.ts";

const server: FeedServer = await startFeedServer();
afterAll(server.close);
const [blog, news] = [`${server.url}/blog`, `${server.url}/news`];
const feeding = await startFeeding({
  feeds: feedsOf({ kind: "rss", urls: [blog, news] }, { kind: "push", token: "sixteen-letters!" }),
  queries: { Acme: "acme OR acmecorp", Kettle: '"kettle fire"' },
});
const { db, projectId } = feeding;

/** Dates stand still while the tests run: an item is known by its date, too. */
const startedAt = systemClock.now();
const recent = (minutesAgo = 5) => new Date(startedAt - minutesAgo * MINUTE).toUTCString();
const item = (n: number, more: RssItem = {}): RssItem => ({
  ...{ guid: `id-${n}`, title: `Acme ${n}`, link: `https://blog.example/${n}`, date: recent(n) },
  html: `<p>Line one of ${n}</p><p>Line two</p>`,
  ...more,
});

/** Both feeds answer with documents of these items. */
function serve(items: readonly RssItem[], headers: Record<string, string> = {}) {
  server.pages.set("/blog", { body: rssDocument(items), headers });
  server.pages.set("/news", { body: rssDocument([]) });
}

beforeEach(async () => {
  server.pages.clear();
  server.requests.length = 0;
  await sql`delete from local_api.mention`.execute(db);
  await sql`delete from local_api.received_item`.execute(db);
  await sql`update feeds.feed set state = '{}', failures = 0, problem = null, lease = null, lease_until = null,
    next_at = case when kind = 'push' then null else now() end`.execute(db);
});

test("what the servers held is stored once, however often it is fetched", async () => {
  const items = Array.from({ length: 30 }, (_, n) => item(n));
  serve([...items, { guid: "other", title: "Nothing of it", html: "no word", date: recent() }]);
  for (let round = 0; round < 3; round++) await feeding.fetchAll();
  const shown = await feeding.mentions();
  expect(shown).toHaveLength(30);
  expect(new Set(shown.map(({ url }) => url)).size).toBe(30);
  expect(shown[0]).toMatchObject({ query: "Acme", text: "Line one of 0\n\nLine two" });
  expect(await feeding.mentions({ hidden: true })).toHaveLength(31);
});

test("an item whose link has other tracking parameters is the same item, under another id, too", async () => {
  const html = "<p>One text</p>";
  const date = recent();
  const tracked = (n: number, source: string) =>
    item(n, { html, date, link: `https://blog.example/${n}?utm_source=${source}&utm_campaign=spring` });
  serve([tracked(1, "rss"), tracked(2, "rss")]);
  await feeding.fetchAll();
  const before = await feeding.mentions();
  expect(before).toHaveLength(2);
  serve([tracked(1, "mail"), { ...tracked(2, "mail"), guid: "another id" }], { etag: '"2"' });
  await feeding.fetchAll();
  expect(await feeding.mentions()).toEqual(before);
  const { rows } = await sql`select from local_api.mention where version > 1`.execute(db);
  expect(rows).toHaveLength(0);
});

test("many workers never fetch a feed at the same time, and lose nothing", async () => {
  const open = { now: 0, most: 0, fetched: 0 };
  server.pages.set("/blog", (_request, response) => {
    open.now++;
    open.fetched++;
    open.most = Math.max(open.most, open.now);
    setImmediate(() => {
      open.now--;
      response.end(rssDocument([item(1), item(2)]));
    });
  });
  server.pages.set("/news", { body: rssDocument([item(3, { link: "https://news.example/3" })]) });
  await feeding.makeDue();
  const fetched = await Promise.all(Array.from({ length: 6 }, () => feeding.worker().fetchNext()));
  expect(fetched.filter((one) => one !== null)).toHaveLength(2);
  expect(open).toMatchObject({ most: 1, fetched: 1 });
  expect(await feeding.mentions()).toHaveLength(3);
});

test("while one server keeps its fetch waiting, the other feeds are fetched", async () => {
  const seen: { readonly isFirst: boolean; readonly firstWaits: boolean }[] = [];
  let firstWaits = false;
  for (const path of ["/blog", "/news"])
    server.pages.set(path, (_request, response) => {
      const isFirst = seen.length === 0;
      seen.push({ isFirst, firstWaits });
      if (!isFirst) return void response.end(rssDocument([item(1)]));
      firstWaits = true;
      response.once("close", () => {
        firstWaits = false;
      });
    });
  await feeding.makeDue();
  const stop = new AbortController();
  const running = feeding.worker({ signal: stop.signal }).run();
  await expect.poll(() => seen.length, { timeout: 10_000 }).toBeGreaterThan(1);
  stop.abort();
  await running;
  expect(seen[1]).toEqual({ isFirst: false, firstWaits: true });
});

test("a worker that dies in the middle of a fetch loses nothing: another one fetches it when the lease ends", async () => {
  serve([item(1)]);
  const dying = feeding.worker({ fetch: () => new Promise(() => {}) });
  void dying.fetchNext();
  await expect.poll(async () => (await leases()).length).toBe(1);
  const held = await leases();
  const other = feeding.worker();
  while ((await other.fetchNext()) !== null) {}
  await sql`update feeds.feed set lease_until = now() - interval '1 second' where lease is not null`.execute(
    db,
  );
  while ((await other.fetchNext()) !== null) {}
  expect(held).toHaveLength(1);
  expect(await feeding.mentions()).toHaveLength(1);
  expect(await leases()).toHaveLength(0);
});

test("a fetch whose items cannot be stored leaves the cursor where it was", async () => {
  serve([item(1)], { etag: '"1"' });
  const away = new TransientError("ServerStopped", "terminating connection");
  // In the transaction that stores them.
  const failing = feeding.worker({
    enricher: async () => ({ ...noEnricher, queue: () => Promise.reject(away) }),
  });
  await feeding.makeDue();
  const fetchBoth = async () => [await failing.fetchNext(), await failing.fetchNext()];
  await expect(fetchBoth()).rejects.toThrow(away);
  await sql`update feeds.feed set lease_until = now() where lease is not null`.execute(db);
  await feeding.fetchAll();
  expect(await feeding.mentions()).toHaveLength(1);
});

/** Resolves when somebody on these tables waits for a lock, or the work has ended without. */
async function waits(work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = work.then(
    () => true,
    () => true,
  );
  void over.then(() => {
    isOver = true;
  });
  const waiting = sql`select from pg_locks where not granted
    and pid in (select pid from pg_stat_activity where datname = current_database())`;
  await expect.poll(async () => isOver || (await waiting.execute(db)).rows.length > 0).toBe(true);
}

const lockQuery = (transaction: Database, name: string) =>
  sql`select from local_api.query where name = ${name} for no key update`.execute(transaction);

test("items that arrive while old ones are deleted are stored: both lock the queries in one order", async () => {
  serve([item(1)]);
  await feeding.fetchAll();
  const arrived = toArrived(
    {
      id: "9",
      url: "https://blog.example/9",
      title: "Acme 9",
      body: { text: "new" },
      publishedAt: null,
      author: null,
    },
    { kind: rss, fetchedAt: systemClock.now(), keepFrom: 0, enrich: noEnrichment },
  ).item;
  if (arrived === null) throw new Error("it is a fine item");
  const from = { kind: "rss", feedKey: "k", host: "blog.example", policyVersion: 1 };
  const around = { at: systemClock.now(), cache: new Map(), queue: async () => {} };
  const { rows } = await sql<{ id: string }>`select id from local_api.query`.execute(db);
  let deleting: Promise<unknown> = Promise.resolve();
  await db.transaction().execute(async (transaction) => {
    await lockReceivedQuery(transaction, projectId);
    deleting = deleteMentions(db, { queryIds: rows.map(({ id }) => Number(id)), to: 0 });
    await waits(deleting);
    const project = { id: projectId, timezone: "Etc/UTC" };
    await receiveItems(transaction, project, from, { arrived: [arrived], deleted: [] }, around);
  });
  await deleting;
  expect(await feeding.mentions()).toHaveLength(2);
});

test.each([
  ["an edit", [item(1, { html: "Acme says something else" })]],
  ["nothing else", []],
])("a new item and %s lock the queries in one order with other writers", async (_, more) => {
  serve([item(1)]);
  await feeding.fetchAll();
  serve([item(2, { title: "A kettle fire" }), ...more]);
  await feeding.makeDue();
  const fetching = (async () => {
    const worker = feeding.worker();
    while ((await worker.fetchNext()) !== null) {}
  })();
  await db.transaction().execute(async (transaction) => {
    await lockQuery(transaction, "Acme");
    await waits(fetching);
    await lockQuery(transaction, "Kettle");
  });
  await fetching;
  expect((await feeding.feeds()).map(({ problem }) => problem)).toEqual([null, null, null]);
  expect((await feeding.mentions()).some(({ title }) => title === "A kettle fire")).toBe(true);
});

const loseLease = () =>
  sql`update feeds.feed set lease = gen_random_uuid() where lease is not null`.execute(db);

test("a worker that lost its lease cannot store what it has read", async () => {
  serve([item(1)]);
  const slow = feeding.worker({
    fetch: async () => {
      await loseLease();
      const bytes = new Uint8Array(Buffer.from(rssDocument([item(1)])));
      return { status: 200, url: blog, bytes, header: () => null };
    },
  });
  await slow.fetchNext();
  expect(await feeding.mentions({ hidden: true })).toHaveLength(0);
});

test("nor can one whose lease ends between its last look at it and its commit", async () => {
  serve([item(1)]);
  const enricher = async () => ({ ...noEnricher, queue: async () => void (await loseLease()) });
  const slow = feeding.worker({ enricher });
  expect([await slow.fetchNext(), await slow.fetchNext()]).not.toContain(null);
  expect(await feeding.mentions({ hidden: true })).toHaveLength(0);
});

async function leases() {
  const { rows } = await sql`select key from feeds.feed where lease is not null`.execute(db);
  return rows;
}

test("a changed text replaces the old one, which is kept nowhere, and its `updated` moves", async () => {
  serve([item(1)]);
  await feeding.fetchAll();
  const [before] = await feeding.mentions();
  serve([item(1, { html: "<p>Acme says something else about the kettle fire</p>" })]);
  await feeding.fetchAll();
  const after = await feeding.mentions();
  expect(after.map(({ query, text }) => [query, text])).toEqual([
    ["Acme", "Acme says something else about the kettle fire"],
    ["Kettle", "Acme says something else about the kettle fire"],
  ]);
  expect(after[0]?.record["added"]).toBe(before?.record["added"]);
  expect(String(after[0]?.record["updated"]) > String(before?.record["updated"])).toBe(true);
  const { rows } = await sql`select from local_api.mention where filled_fields like '%Line one%'
    or full_text like '%Line one%'`.execute(db);
  expect(rows).toHaveLength(0);
});

test("a text that changes at every fetch is stored at most once an hour", async () => {
  for (let views = 0; views < 4; views++) {
    serve([item(1, { html: `<p>Seen ${views} times</p>` })]);
    await feeding.fetchAll();
  }
  expect((await feeding.mentions()).map(({ text, version }) => [text, version])).toEqual([
    ["Seen 1 times", 2],
  ]);
  await sql`update local_api.received_item set edited_at = edited_at - interval '1 hour'`.execute(db);
  serve([item(1, { html: "<p>Seen 9 times</p>" })]);
  await feeding.fetchAll();
  expect((await feeding.mentions()).map(({ text }) => text)).toEqual(["Seen 9 times"]);
});

test("ids that change at every fetch, or from http to https, do not make items new", async () => {
  const date = recent();
  for (const guid of ["a", "b", "http://blog.example/?p=1", "https://blog.example/?p=1"]) {
    serve([item(1, { guid, date })]);
    await feeding.fetchAll();
  }
  expect(await feeding.mentions()).toHaveLength(1);
});

test("one id for two different items of a document makes two mentions", async () => {
  const twice = [item(1, { guid: "same" }), item(2, { guid: "same" })];
  serve(twice);
  await feeding.fetchAll();
  serve([...twice].reverse());
  await feeding.fetchAll();
  expect((await feeding.mentions()).map(({ title }) => title)).toEqual(["Acme 1", "Acme 2"]);
});

test("items without any id are told apart by address or text", async () => {
  const date = recent();
  serve([
    item(1, { guid: null, date }),
    { title: "Acme without an address", date },
    { html: "Only a text about Acme", date },
  ]);
  await feeding.fetchAll();
  await feeding.fetchAll();
  expect(await feeding.mentions()).toHaveLength(3);
});

test("the same status twice is two items, as they have other ids and times", async () => {
  const same = { title: "Acme: all systems normal", link: "https://status.example/", html: "ok" };
  serve([
    { ...same, guid: "1", date: recent(60) },
    { ...same, guid: "2", date: recent(5) },
  ]);
  await feeding.fetchAll();
  expect(await feeding.mentions()).toHaveLength(2);
});

test("a document that breaks off gives its whole items, and is fetched whole again", async () => {
  const whole = rssDocument([item(1), item(2), item(3)]);
  const etag = { etag: '"1"' };
  server.pages.set("/news", { body: rssDocument([]) });
  server.pages.set("/blog", { body: whole.slice(0, whole.indexOf("Line one of 3")), headers: etag });
  await feeding.fetchAll();
  expect(await feeding.mentions()).toHaveLength(2);
  expect((await feeding.feeds()).map(({ problem }) => problem)).toContain(
    "its document breaks off; the whole items of it were read",
  );
  server.pages.set("/blog", { body: whole, headers: etag });
  await feeding.fetchAll();
  expect(await feeding.mentions()).toHaveLength(3);
  expect(server.requests.every(({ headers }) => headers["if-none-match"] === undefined)).toBe(true);
});

test("an unchanged document is asked for with its ETag; one that lies does not stop the feed for long", async () => {
  serve([item(1)], { etag: '"lies"', "last-modified": recent() });
  await feeding.fetchAll();
  server.pages.set("/blog", (request, response) => {
    if (request.headers["if-none-match"] === '"lies"') response.writeHead(304).end();
    else response.end(rssDocument([item(1), item(2)]));
  });
  await feeding.fetchAll();
  expect(await feeding.mentions()).toHaveLength(1);
  // Some hours later.
  await sql`update feeds.feed set state = jsonb_set(state, '{wholeAt}', '0')`.execute(db);
  await feeding.fetchAll();
  expect(await feeding.mentions()).toHaveLength(2);
});

test("a new query looks back over everything that was received, also what matched nothing", async () => {
  serve([item(1), { guid: "x", title: "Rivalware is here", html: "<p>at last</p>", date: recent() }]);
  await feeding.fetchAll();
  const at = systemClock.now();
  const settings = {
    ...{ name: "Rival", type: "search string", text: "rivalware", samplePercentage: 100, description: "" },
    ...{ languages: [], contentSources: null, startDate: null, typeName: null },
    ...{ includedLocations: [], excludedLocations: [] },
  };
  const found = await db.transaction().execute(async (transaction) => {
    const id = await insertQuery(transaction, projectId, settings, { username: "ann", at });
    return lookBack(transaction, projectId, { id, ...settings }, at);
  });
  expect(found).toBe(1);
  expect((await feeding.mentions()).map(({ query }) => query).sort()).toEqual(["Acme", "Rival"]);
  await sql`delete from local_api.mention where query_id in (select id from local_api.query where name = 'Rival')`.execute(
    db,
  );
  await sql`delete from local_api.query where name = 'Rival'`.execute(db);
});

const pushed = (more: object) => ({
  ...{
    url: "https://x.example/1",
    title: null,
    body: { text: "acmecorp is here" },
    publishedAt: null,
    author: "ann",
  },
  ...{ id: "p1", ...more },
});

test.each([
  ["after the item", ["create", "delete"]],
  ["before the item", ["delete", "create"]],
  ["between two copies of the item", ["create", "delete", "create", "create"]],
])("a delete that comes %s leaves nothing of it", async (_when, order) => {
  const worker = feeding.worker();
  const feed = (await import("../../src/feeds/run/plan-feeds.ts")).planFeeds({
    feeds: feedsOf({ kind: "push", token: "sixteen-letters!" }),
    queries: [],
  })[0];
  if (feed === undefined) throw new Error("there is a push feed");
  for (const step of order)
    await worker.receivePushed(
      feed,
      step === "create"
        ? { items: [pushed({})], deletes: [] }
        : { items: [], deletes: [{ id: "p1", reason: "deleted by the sender" }] },
    );
  const { rows } = await sql`select from local_api.mention
    where filled_fields || coalesce(full_text, '') || coalesce(author, '') like '%acmecorp%'`.execute(db);
  expect(rows).toHaveLength(0);
  const shown = await feeding.mentions();
  expect(shown.map(({ record }) => [record["resourceType"], record["author"], record["url"]])).toEqual(
    order[0] === "create" ? [["deleted", null, null]] : [],
  );
});

test("failures wait longer and longer, and one success forgets them", async () => {
  server.pages.set("/blog", { status: 500 });
  server.pages.set("/news", { body: rssDocument([]) });
  for (let round = 0; round < 3; round++) await feeding.fetchAll();
  const failing = (await feeding.feeds()).find(({ failures }) => failures > 0);
  expect(failing).toMatchObject({ failures: 3, problem: "the server fails (status 500)" });
  serve([item(1)]);
  await feeding.fetchAll();
  expect((await feeding.feeds()).every(({ failures, problem }) => failures === 0 && problem === null)).toBe(
    true,
  );
});

test("a host that says Retry-After is left alone by all its feeds", async () => {
  server.pages.set("/blog", { status: 429, headers: { "retry-after": "3600" } });
  server.pages.set("/news", { status: 429, headers: { "retry-after": "3600" } });
  await feeding.makeDue();
  const worker = feeding.worker();
  while ((await worker.fetchNext()) !== null) {}
  expect(server.requests).toHaveLength(1);
});

test("a feed that is gone for good is not asked again", async () => {
  server.pages.set("/blog", { status: 410 });
  server.pages.set("/news", { body: rssDocument([]) });
  await feeding.fetchAll();
  await feeding.fetchAll();
  expect(server.requests.filter(({ path }) => path === "/blog")).toHaveLength(1);
});

test("items that are older than what is kept are deleted, and an item that its feed still shows does not come back", async () => {
  const old = { ...item(1), date: recent(60 * 24 * 40) };
  serve([old, item(2)]);
  await feeding.fetchAll();
  expect(await feeding.mentions()).toHaveLength(2);
  const strict = feeding.worker({ keepMs: 30 * DAY });
  await strict.forgetOld();
  await feeding.makeDue();
  while ((await strict.fetchNext()) !== null) {}
  expect((await feeding.mentions()).map(({ title }) => title)).toEqual(["Acme 2"]);
  expect(await feeding.mentions({ hidden: true })).toHaveLength(1);
});
