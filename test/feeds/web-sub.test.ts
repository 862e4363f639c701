import { createServer } from "node:http";
import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeEach, expect, test } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { type Listening, withListening } from "../../src/app/open-listening.ts";
import { hubOf, linksIn } from "../../src/feeds/common/hub-links.ts";
import { createFetchFeed } from "../../src/feeds/run/fetch-feed.ts";
import { planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { createWebSub, type HubEndpoint, maySubscribe } from "../../src/feeds/run/web-sub.ts";
import { claimHub } from "../../src/feeds/store/hubs.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/instant.ts";
import { startTestConsole } from "../console/start-test-console.ts";
import { startFeedServer } from "../fakes/feed-server.ts";
import { startHub } from "../fakes/hub.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";
import { feedsOf, startFeeding } from "./feeding.ts";
import { reader } from "./reader.ts";

const [server, hub] = [await startFeedServer(), await startHub()];
const settings = feedsOf({ kind: "rss", urls: [`${server.url}/feed`] });
const feeding = await startFeeding({ feeds: settings, queries: { Acme: "acme" } });
const { db, projectId } = feeding;
const feeds = planFeeds({ feeds: settings, queries: [] });
const worker = feeding.worker({ hasHubs: true });
const fetcher = createFetchFeed({ userAgent: "Earshot/test", clock: systemClock, timeoutMs: 5_000 });
let endpoint: HubEndpoint | undefined;
const late = () => endpoint as HubEndpoint;
/** The real routes of the console, at an address that the hub reaches. */
const web = await startTestConsole(Date.now(), {
  deps: {
    hubs: {
      refuse: (id) => late().refuse(id),
      verify: (id, question) => late().verify(id, question),
      take: (id, pushed) => late().take(id, pushed),
      fetchInstead: (id) => late().fetchInstead(id),
    },
  },
});
const parts = {
  ...{ db, projectId, feeds, reader, fetch: fetcher.fetch, receive: worker.receivePushed },
  ...{ callback: `${web.url}/`, clock: systemClock, log: pino({ level: "silent" }) },
  signal: new AbortController().signal,
};
const webSub = createWebSub(parts);
endpoint = webSub.endpoint;
afterAll(() => Promise.all([server.close(), hub.close(), web.close(), fetcher.close()]));

const SOON = { withinMs: 10_000 };
const usual = { onAsked: hub.onAsked };
beforeEach(async () => {
  Object.assign(hub, usual, { status: 202 });
  hub.asked.length = 0;
  hub.subscribers.clear();
  server.requests.length = 0;
  await sql`delete from local_api.mention`.execute(db);
  await sql`delete from local_api.received_item`.execute(db);
  await sql`delete from feeds.hub`.execute(db);
  await sql`update feeds.feed set state = '{}', is_configured = true, next_at = now(), notes = '{}'`.execute(
    db,
  );
  server.pages.set("/feed", { body: atom("first") });
});

/** Far apart: a document of items that come at once would be read every minute. */
const BEGAN = Date.now() - DAY;
const dateOf = (id: string) => new Date(id === "first" ? BEGAN : BEGAN + 20 * HOUR).toISOString();
const atom = (...ids: readonly string[]) =>
  `<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><link rel="hub" href="${hub.url}"/>
  <link rel="self" href="${server.url}/feed"/>${ids
    .map(
      (id) => `<entry><id>${id}</id><title>Acme ${id}</title><link href="https://blog.example/${id}"/>
      <updated>${dateOf(id)}</updated><content>text of ${id}</content></entry>`,
    )
    .join("")}</feed>`;
const topic = `${server.url}/feed`;
const titles = async () => (await feeding.mentions()).map(({ title }) => title);
const row = async () =>
  (
    await sql<{ id: string; days: number | null; problem: string | null; attempts: number }>`
      select id, problem, attempts, round(extract(epoch from lease_until - now()) / 86400)::integer as days
      from feeds.hub`.execute(db)
  ).rows[0];
const minutesUntilAsked = async () =>
  (
    await sql<{ minutes: number }>`
      select round(extract(epoch from next_at - now()) / 60)::integer as minutes from feeds.hub`.execute(db)
  ).rows[0]?.minutes;
const nextMinutes = async () =>
  (
    await sql<{ minutes: number }>`
      select round(extract(epoch from next_at - now()) / 60)::integer as minutes from feeds.feed`.execute(db)
  ).rows[0]?.minutes;
const fetchOnce = async () => {
  await sql`update feeds.feed set next_at = now()`.execute(db);
  await sql`delete from feeds.host`.execute(db);
  await worker.fetchNext();
};
async function subscribed(): Promise<void> {
  await fetchOnce();
  expect(await webSub.subscribeNext()).toBe(true);
  await until("the hub has asked back", () => hub.subscribers.has(topic), SOON);
}

test("a feed that names a hub is subscribed to, and what the hub pushes comes without a fetch", async () => {
  await subscribed();
  expect(hub.asked).toEqual([
    {
      ...{ "hub.mode": "subscribe", "hub.topic": topic, "hub.lease_seconds": "864000" },
      "hub.callback": `${web.url}/feeds/websub/${(await row())?.id}`,
      "hub.secret": expect.stringMatching(/^[\w-]{43}$/),
    },
  ]);
  expect(await row()).toMatchObject({ days: 10, problem: null, attempts: 0 });
  server.requests.length = 0;
  const answer = await hub.publish(topic, atom("second", "first"));
  expect([answer.status, await titles()]).toEqual([202, ["Acme first", "Acme second"]]);
  expect(server.requests).toEqual([]);
  // A fetch brings nothing twice, and comes as a safety net.
  server.pages.set("/feed", { body: atom("second", "first") });
  await fetchOnce();
  expect(await titles()).toHaveLength(2);
  expect(await nextMinutes()).toBeGreaterThan(50);
  const { rows } = await sql<{ hub: string }>`select notes->>'hub' as hub from feeds.feed`.execute(db);
  expect(rows[0]?.hub).toBe("its hub pushes what is new; besides, it is read every 1h");
});

test.each(["sha1", "sha384", "sha512"])("a document that is signed with %s is read", async (method) => {
  await subscribed();
  await hub.publish(topic, atom("second"), { method });
  expect(await titles()).toContain("Acme second");
});

test.each([
  ["no signature", ""],
  ["a wrong one", `sha256=${"0".repeat(64)}`],
  ["one of another length", "sha256=00"],
  ["one of a method that nobody named", `md5=${"0".repeat(40)}`],
])("a document with %s is not read, and its sender is told nothing", async (_name, signature) => {
  await subscribed();
  const answer = await hub.publish(topic, atom("forged"), { signature });
  expect([answer.status, await answer.text(), await titles()]).toEqual([202, "", ["Acme first"]]);
});

test("what is pushed and cannot be read is fetched instead", async () => {
  await subscribed();
  await fetchOnce();
  expect(await nextMinutes()).toBeGreaterThan(50);
  expect((await hub.publish(topic, "<html>not a feed</html>")).status).toBe(202);
  expect(await nextMinutes()).toBe(0);
});

test("what is pushed and cannot be read while the feed is fetched is fetched after that", async () => {
  await subscribed();
  // The document is an older one: it is made before the push, and arrives after it.
  let arrive = (): void => {};
  server.pages.set("/feed", (_request, response) => {
    const document = atom("first");
    arrive = () => void response.writeHead(200, { "content-type": "application/atom+xml" }).end(document);
  });
  server.requests.length = 0;
  const fetched = fetchOnce();
  await until("the feed is being fetched", () => server.requests.length > 0, SOON);
  expect((await hub.publish(topic, "<html>not a feed</html>")).status).toBe(202);
  arrive();
  await fetched;
  expect(await nextMinutes()).toBe(0);
  server.pages.set("/feed", { body: atom("second", "first") });
  await sql`delete from feeds.host`.execute(db);
  await worker.fetchNext();
  expect(await titles()).toEqual(["Acme first", "Acme second"]);
  expect(await nextMinutes()).toBeGreaterThan(50);
});

test("what is pushed and breaks off is stored as far as it goes, and fetched", async () => {
  await subscribed();
  await fetchOnce();
  const document = atom("second", "third");
  await hub.publish(topic, document.slice(0, document.indexOf("<entry><id>third") + 20));
  expect([await titles(), await nextMinutes()]).toEqual([["Acme first", "Acme second"], 0]);
});

test("what is larger than a push may be is fetched instead", async () => {
  await subscribed();
  await fetchOnce();
  expect((await hub.publish(topic, `${atom("second")}${" ".repeat(6_000_000)}`)).status).toBe(413);
  expect(await nextMinutes()).toBe(0);
});

test("what a late push has put back is mended by the next poll, although the document is the same", async () => {
  await subscribed();
  const hoursLater = () =>
    sql`update local_api.received_item set edited_at = edited_at - interval '2 hours'`.execute(db);
  const [before, after] = [atom("first"), atom("first").replace("text of first", "newer text")];
  server.pages.set("/feed", { body: after });
  await fetchOnce();
  await hoursLater();
  const texts = async () => (await feeding.mentions()).map(({ text }) => text);
  expect(await texts()).toEqual(["newer text"]);
  await hub.publish(topic, before);
  expect(await texts()).toEqual(["text of first"]);
  // Too soon after a change: it waits, and is not forgotten.
  await fetchOnce();
  expect(await texts()).toEqual(["text of first"]);
  await hoursLater();
  await fetchOnce();
  expect(await texts()).toEqual(["newer text"]);
});

test("what a late push puts back while an unchanged document is fetched is mended, too", async () => {
  await subscribed();
  const after = atom("first").replace("text of first", "newer text");
  server.pages.set("/feed", { body: after });
  await fetchOnce();
  await sql`update local_api.received_item set edited_at = null`.execute(db);
  let arrive = (): void => {};
  server.pages.set("/feed", (_request, response) => {
    arrive = () => void response.writeHead(200, { "content-type": "application/atom+xml" }).end(after);
  });
  server.requests.length = 0;
  const fetched = fetchOnce();
  await until("the feed is being fetched", () => server.requests.length > 0, SOON);
  await hub.publish(topic, atom("first"));
  arrive();
  await fetched;
  await sql`update local_api.received_item set edited_at = null`.execute(db);
  server.pages.set("/feed", { body: after });
  await fetchOnce();
  expect((await feeding.mentions()).map(({ text }) => text)).toEqual(["newer text"]);
});

test("a feed that is pushed is polled as often as its document turns over: a push may be lost", async () => {
  await subscribed();
  const busy = (minutes: number) =>
    atom("first", "second").replace(
      dateOf("first"),
      new Date(Date.parse(dateOf("second")) - minutes * MINUTE).toISOString(),
    );
  server.pages.set("/feed", { body: busy(90) });
  await fetchOnce();
  expect(Math.abs(((await nextMinutes()) ?? 0) - 30)).toBeLessThanOrEqual(2);
  // A document that is the same says nothing new of it.
  await fetchOnce();
  expect(Math.abs(((await nextMinutes()) ?? 0) - 30)).toBeLessThanOrEqual(2);
});

test("a document that breaks off before it names its hub ends no subscription", async () => {
  await subscribed();
  const before = await row();
  const document = atom("first", "second").replace(/<link rel="hub"[^>]*>/, "");
  server.pages.set("/feed", { body: document.slice(0, document.indexOf("<entry><id>second") + 20) });
  await fetchOnce();
  expect(await row()).toEqual(before);
});

test("links in a document lead to the same pages, whether it is pushed or fetched", async () => {
  const own = `${server.url}/elsewhere/feed`;
  const document = atom("first")
    .replace(`rel="self" href="${topic}"`, `rel="self" href="${own}"`)
    .replace("<id>first</id>", "")
    .replace("https://blog.example/first", "posts/first");
  server.pages.set("/feed", { body: document });
  await fetchOnce();
  await webSub.subscribeNext();
  await until("the hub has asked back", () => hub.subscribers.has(own), SOON);
  await hub.publish(own, document);
  expect((await feeding.mentions()).map(({ url }) => url)).toEqual([`${server.url}/posts/first`]);
});

test("a call of a hub while the database is away is asked for again: it is not refused", async () => {
  await subscribed();
  const { callback = "" } = hub.subscribers.get(topic) ?? {};
  await sql`alter table feeds.hub rename to hub_away`.execute(db);
  const answers = [await hub.call(callback, {}), await hub.publish(topic, atom("second"))];
  await sql`alter table feeds.hub_away rename to hub`.execute(db);
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
});

test("a console that hubs reach at another address asks them anew at once", async () => {
  await subscribed();
  const moved = createWebSub({ ...parts, callback: "https://other.example" });
  hub.onAsked = async () => {};
  hub.asked.length = 0;
  // Just asked: two processes with different addresses do not ask in turns.
  expect(await moved.subscribeNext()).toBe(false);
  await sql`update feeds.hub set asked_at = now() - interval '10 minutes'`.execute(db);
  expect(await webSub.subscribeNext()).toBe(false);
  expect(await moved.subscribeNext()).toBe(true);
  expect(hub.asked[0]?.["hub.callback"]).toBe(`https://other.example/feeds/websub/${(await row())?.id}`);
  // Until it has agreed, the feed is polled.
  await fetchOnce();
  expect(await nextMinutes()).toBeLessThanOrEqual(15);
});

test.each([307, 308])("a hub that has moved (%i) is asked where it is now", async (status) => {
  const old = createServer((_request, response) => response.writeHead(status, { location: hub.url }).end());
  await new Promise<void>((resolve) => old.listen(0, "127.0.0.1", resolve));
  const address = old.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
  server.pages.set("/feed", { body: atom("first").replace(hub.url, url) });
  await subscribed();
  await until("it has agreed", async () => (await row())?.days === 10, SOON);
  await new Promise<void>((resolve) => old.close(() => resolve()));
});

test("nobody is confirmed whom we did not ask", async () => {
  await fetchOnce();
  const callback = `${web.url}/feeds/websub/${(await row())?.id}`;
  const question = {
    "hub.mode": "subscribe",
    "hub.topic": topic,
    "hub.challenge": "x",
    "hub.lease_seconds": "9",
  };
  const status = async (changed: object, address = callback) =>
    (await hub.call(address, { ...question, ...changed })).status;
  // Not asked yet.
  expect(await status({})).toBe(404);
  hub.onAsked = async () => {};
  await webSub.subscribeNext();
  // Asked so long ago that this cannot be its answer.
  await sql`update feeds.hub set asked_at = asked_at - interval '25 hours'`.execute(db);
  expect(await status({})).toBe(404);
  await sql`update feeds.hub set asked_at = now()`.execute(db);
  expect(await status({ "hub.topic": `${topic}x` })).toBe(404);
  expect(await status({ "hub.mode": "unsubscribe" })).toBe(404);
  expect(await status({ "hub.challenge": "" })).toBe(404);
  expect(await status({}, `${callback}x`)).toBe(404);
  const right = await hub.call(callback, { ...question, "hub.challenge": "<script>1</script>" });
  expect([right.status, right.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  // Its first answer may have been lost on the way: a hub that asks again would not push after a refusal.
  expect(await status({})).toBe(200);
  const unknown = await fetch(`${web.url}/feeds/websub/none`, { method: "POST", body: "x".repeat(100_000) });
  expect(unknown.status).toBe(404);
});

test("a lease is renewed when half of it is over, and without one the feed is polled as before", async () => {
  await subscribed();
  const half = await sql<{ days: number }>`
    select round(extract(epoch from next_at - now()) / 86400)::integer as days from feeds.hub`.execute(db);
  expect(half.rows).toEqual([{ days: 5 }]);
  expect(await webSub.subscribeNext()).toBe(false);
  await sql`update feeds.hub set next_at = now(), lease_until = now() + interval '1 day'`.execute(db);
  expect(await webSub.subscribeNext()).toBe(true);
  await until("it is renewed", async () => (await row())?.days === 10, SOON);
  await sql`update feeds.hub set lease_until = now() - interval '1 second'`.execute(db);
  await fetchOnce();
  expect(await nextMinutes()).toBeLessThanOrEqual(15);
});

test.each([
  ["ten years", 3_650, 30 * 24 * 60],
  ["a second", 1 / 86_400, 5],
])("a lease of %s is cut to what can be: it is renewed in time", async (_name, days, minutes) => {
  await fetchOnce();
  hub.onAsked = ({ "hub.callback": callback = "", "hub.topic": named = "" }) =>
    hub.call(callback, {
      ...{ "hub.mode": "subscribe", "hub.topic": named, "hub.challenge": "x" },
      "hub.lease_seconds": String(Math.round(days * 86_400)),
    });
  await webSub.subscribeNext();
  const granted = async () =>
    (
      await sql<{ minutes: number | null }>`
        select round(extract(epoch from lease_until - now()) / 60)::integer as minutes from feeds.hub`.execute(
        db,
      )
    ).rows[0]?.minutes;
  await until("it has agreed", async () => (await granted()) != null, SOON);
  expect(await granted()).toBe(minutes);
});

test("of two processes that ask hubs at once, one asks", async () => {
  await fetchOnce();
  await sql`update feeds.hub set next_at = now()`.execute(db);
  const keys = feeds.map(({ key }) => key);
  const how = { callback: web.url, retryMs: 1_000 };
  let other: Promise<unknown> = Promise.resolve();
  const claimed = await db.transaction().execute(async (first) => {
    const mine = await claimHub(first, projectId, keys, how);
    // Passes by what another has, or waits for it.
    other = claimHub(db, projectId, keys, how);
    await Promise.race([other, sql`select pg_sleep(0.2)`.execute(first)]);
    return mine;
  });
  expect([claimed === null, await other]).toEqual([false, null]);
});

test("a hub that refuses, or is away, is asked again later each time; the feed is polled", async () => {
  hub.status = 500;
  await fetchOnce();
  for (const attempts of [1, 2]) {
    await sql`update feeds.hub set next_at = now()`.execute(db);
    await webSub.subscribeNext();
    expect(await row()).toMatchObject({ attempts, days: null, problem: "the server fails (status 500)" });
    expect(await minutesUntilAsked()).toBe(60 * attempts);
  }
  hub.status = 202;
  hub.onAsked = ({ "hub.callback": callback = "" }) =>
    hub.call(callback, { "hub.mode": "denied", "hub.topic": topic, "hub.reason": "too many" });
  await sql`update feeds.hub set next_at = now()`.execute(db);
  await webSub.subscribeNext();
  await until("it has said no", async () => (await row())?.problem?.includes("too many") === true, SOON);
  expect(await minutesUntilAsked()).toBe(24 * 60);
  await fetchOnce();
  expect(await nextMinutes()).toBeLessThanOrEqual(15);
});

test("a feed that is configured no more, or has another hub, ends the subscription", async () => {
  await subscribed();
  await sql`update feeds.feed set is_configured = false`.execute(db);
  expect((await hub.publish(topic, atom("second"))).status).toBe(410);
  await sql`update feeds.feed set is_configured = true`.execute(db);
  const before = (await row())?.id;
  server.pages.set("/feed", { body: atom("first").replace(hub.url, `${hub.url}other`) });
  await fetchOnce();
  expect((await row())?.id).not.toBe(before);
  expect((await hub.publish(topic, atom("second"))).status).toBe(404);
  server.pages.set("/feed", { body: atom("first").replace('rel="hub"', 'rel="x"') });
  await fetchOnce();
  expect(await row()).toBeUndefined();
});

test("a hub that was sent away pushes no more: its feed is polled as without it, and it is asked anew", async () => {
  await subscribed();
  await sql`update feeds.feed set is_configured = false`.execute(db);
  expect((await hub.publish(topic, atom("second"))).status).toBe(410);
  // Somebody adds the feed again.
  await sql`update feeds.feed set is_configured = true`.execute(db);
  await fetchOnce();
  expect(await nextMinutes()).toBeLessThanOrEqual(15);
  expect(await webSub.subscribeNext()).toBe(true);
});

test("a hub is found in headers, in XML and in JSON; its secret never goes there in clear", async () => {
  const links = linksIn(
    '</other>; rel=next, <https://hub.example/>; rel="x hub", <../self>; rel=self',
    "https://x.example/a/b",
  );
  expect(links).toEqual({ hub: "https://hub.example/", self: "https://x.example/self" });
  expect(
    hubOf({ hub: "https://in.example/", self: null }, { hub: null, self: null }, "https://x.example/"),
  ).toEqual({
    ...{ url: "https://in.example/", topic: "https://x.example/", base: "https://x.example/" },
  });
  // Who serves a document knows better than who wrote it.
  expect(
    hubOf(
      { hub: "https://in.example/", self: "https://in.example/self" },
      { hub: "https://head.example/", self: "https://head.example/self" },
      "https://x.example/",
    ),
  ).toEqual({
    ...{ url: "https://head.example/", topic: "https://head.example/self", base: "https://x.example/" },
  });
  expect(hubOf({ hub: "javascript:1", self: null }, { hub: null, self: null }, "x")).toBeNull();
  server.pages.set("/feed", {
    body: JSON.stringify({
      ...{ version: "https://jsonfeed.org/version/1.1", title: "Blog", feed_url: topic },
      ...{
        hubs: [
          { type: "rssCloud", url: "https://x" },
          { type: "WebSub", url: hub.url },
        ],
        items: [],
      },
    }),
  });
  await fetchOnce();
  const { rows } = await sql`select hub, topic from feeds.hub`.execute(db);
  expect(rows).toEqual([{ hub: hub.url, topic }]);
  const [feed] = feeds;
  if (feed === undefined) throw new Error("no feed");
  const open = { ...feed, settings: { ...feed.settings, allowPrivateAddress: false } };
  expect(
    ["http://hub.example/", "https://hub.example/"].map((url) =>
      maySubscribe({ url, topic, base: topic }, open),
    ),
  ).toEqual([false, true]);
});

test("an Earshot that hubs can reach subscribes by itself; one that they cannot polls", async () => {
  const closing = createClosing();
  const { url, drop } = await createTestDatabase();
  closing.add(drop);
  let listening: Listening | undefined;
  const door = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    const id = pathname.slice("/feeds/websub/".length);
    void listening?.hubs?.verify(id, Object.fromEntries(searchParams)).then(({ status, body }) => {
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  closing.add(async () => void door.close());
  const address = door.address();
  const callback = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const listen = {
    queries: [{ name: "Acme", text: "acme" }],
    feeds: [{ kind: "rss", urls: [topic], allowPrivateAddress: true }],
  };
  const log = pino({ level: "silent" });
  const options = { databaseUrl: url, fetches: true, clock: systemClock, log, port: 0 };
  try {
    listening = await withListening(await parseConfig({ listen: { ...listen, callback } }), options, closing);
    await until("the hub was asked, and has asked back", () => hub.subscribers.has(topic), {
      withinMs: 60_000,
    });
    const silent = await withListening(
      await parseConfig({ listen }),
      { ...options, fetches: false },
      closing,
    );
    expect(silent.hubs).toBeNull();
  } finally {
    await closing.close();
  }
}, 90_000);
