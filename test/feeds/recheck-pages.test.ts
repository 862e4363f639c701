import { sql } from "kysely";
import { afterAll, beforeEach, expect, test } from "vitest";
import { type FeedAnswer, rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { feedsOf, startFeeding } from "./feeding.ts";

const [blog, elsewhere] = [await startFeedServer(), await startFeedServer()];
afterAll(() => Promise.all([blog.close(), elsewhere.close()]));
const feeding = await startFeeding({
  feeds: feedsOf({ kind: "rss", urls: [`${blog.url}/feed`] }),
  queries: { Acme: "acme" },
});
const { db } = feeding;

const date = new Date().toUTCString();
const show = (...links: readonly string[]) =>
  blog.pages.set("/feed", {
    body: rssDocument(links.map((link) => ({ guid: link, title: `Acme at ${link}`, link, date }))),
  });
const at = (n: number) => `${blog.url}/${n}`;
const answer = (path: string, page: FeedAnswer) => blog.pages.set(path, page);
const asked = (server = blog) => server.requests.map(({ path }) => path).filter((path) => path !== "/feed");
const titles = async () => (await feeding.mentions()).map(({ title }) => title).filter((one) => one !== null);

beforeEach(async () => {
  for (const server of [blog, elsewhere]) {
    server.pages.clear();
    server.requests.length = 0;
  }
  await sql`delete from local_api.mention`.execute(db);
  await sql`delete from local_api.received_item`.execute(db);
  await sql`update feeds.feed set state = '{}', failures = 0, problem = null`.execute(db);
});

/** Hears the items, and asks for their pages an hour later, as a process that has just started. */
async function hearAndCheck(): Promise<void> {
  await feeding.fetchAll();
  expect(asked()).toEqual([]);
  await checkAgain();
}

/** As if it was two days later, and the document had not listed these items since. */
async function twoDaysLater(): Promise<void> {
  await sql`update local_api.received_item set gone_since = gone_since - interval '25 hours', seen_on = seen_on - 2`.execute(
    db,
  );
  // Every six hours a document is fetched whole.
  await sql`update feeds.feed set state = '{}'`.execute(db);
  await checkAgain();
}

async function checkAgain(): Promise<void> {
  await sql`update local_api.received_item set check_at = now() where check_at is not null`.execute(db);
  blog.requests.length = 0;
  await feeding.makeDue();
  const worker = feeding.worker();
  while ((await worker.fetchNext()) !== null);
  while (await worker.recheckNext());
}

test.each([404, 410])("an item whose page answers %s twice, a day apart, is deleted", async (status) => {
  show(at(1), at(2));
  answer("/", { body: "front" });
  answer("/1", { body: "here" });
  answer("/2", { status });
  await hearAndCheck();
  expect(asked().sort()).toEqual(["/", "/1", "/2", "/robots.txt"]);
  // The document lists both.
  expect(await titles()).toHaveLength(2);
  await twoDaysLater();
  expect(await titles()).toHaveLength(2);
  show(at(1));
  await twoDaysLater();
  expect(await titles()).toHaveLength(2);
  await twoDaysLater();
  expect(await titles()).toEqual([`Acme at ${at(1)}`]);
  const gone = await sql<{ reason: string; reference: string | null }>`
    select delete_reason as reason, reference from local_api.received_item where deleted_at is not null`.execute(
    db,
  );
  expect(gone.rows).toEqual([{ reason: `its page is gone: its site answers ${status}`, reference: null }]);
  // A site that takes a page away for some days, and shows it again.
  show(at(1), at(2));
  await feeding.fetchAll();
  expect(await titles()).toHaveLength(2);
});

test("an item that its document lists again while its page is asked for stays", async () => {
  show(at(1), at(2));
  answer("/", { body: "front" });
  answer("/1", { body: "here" });
  answer("/2", { status: 404 });
  await hearAndCheck();
  show(at(1));
  await twoDaysLater();
  let hasReturned = false;
  answer("/2", async (_request, response) => {
    show(at(1), at(2));
    await sql`update feeds.feed set state = '{}'`.execute(db);
    await feeding.fetchAll();
    hasReturned = true;
    response.writeHead(404).end();
  });
  await twoDaysLater();
  expect(hasReturned).toBe(true);
  expect(await titles()).toHaveLength(2);
});

test("a site whose front page is gone, too, has moved: nothing is deleted, and its owner is told", async () => {
  show(at(1));
  answer("/1", { status: 404 });
  await hearAndCheck();
  show();
  for (let n = 0; n < 3; n++) await twoDaysLater();
  expect(await titles()).toHaveLength(1);
  // A fetch after which no page is due says nothing else.
  await feeding.fetchAll();
  const { rows } = await sql<{ note: string }>`select notes->>'away' as note from feeds.feed`.execute(db);
  expect(rows[0]?.note).toContain("nothing was deleted. Has it moved?");
  answer("/", { body: "front" });
  for (let n = 0; n < 3; n++) await twoDaysLater();
  expect(await titles()).toEqual([]);
  expect((await sql`select from feeds.feed where notes->>'away' is not null`.execute(db)).rows).toEqual([]);
});

test.each<[string, FeedAnswer]>([
  ["200", { body: "here" }],
  ["a redirect to the front page", { status: 302, headers: { location: "/" } }],
  ["a refusal", { status: 403 }],
  ["too many requests", { status: 429, headers: { "retry-after": "9" } }],
  ["an error", { status: 503 }],
  ["half an answer", { body: "here and there", breakAfter: 3 }],
  ["a cut connection", (request) => request.socket.destroy()],
  ["a body of 20 MB", { body: Buffer.alloc(20_000_000) }],
])("a page that answers %s deletes nothing, and is no fault of the feed", async (_, page) => {
  show(at(1));
  answer("/1", page);
  answer("/", { body: "front" });
  await hearAndCheck();
  expect(await titles()).toHaveLength(1);
  expect(await feeding.feeds()).toMatchObject([{ problem: null, failures: 0 }]);
});

test("a site that hides all of its pages has deleted none", async () => {
  show(at(1), at(2), at(3));
  answer("/", { body: "front" });
  await hearAndCheck();
  expect(asked()).toHaveLength(4);
  show();
  await twoDaysLater();
  await twoDaysLater();
  expect(await titles()).toHaveLength(3);
  // One of them is there again: the others are gone.
  answer("/2", { body: "here" });
  await twoDaysLater();
  await twoDaysLater();
  expect(await titles()).toEqual([`Acme at ${at(2)}`]);
});

test("a page is asked only as robots.txt allows, and that is read once", async () => {
  show(at(1), `${blog.url}/private/2`);
  answer("/robots.txt", {
    headers: { "content-type": "text/plain" },
    body: "User-agent: *\nDisallow: /\n\nUser-agent: Earshot\nDisallow: /private\nAllow: /\n",
  });
  answer("/1", { status: 410 });
  answer("/private/2", { status: 410 });
  await hearAndCheck();
  expect(asked()).toEqual(["/robots.txt", "/1", "/"]);
});

test.each<[string, FeedAnswer]>([
  ["answers 500", { status: 500 }],
  ["answers 429", { status: 429 }],
  ["breaks off", { body: "User-agent: *", breakAfter: 4 }],
])("a site whose robots.txt %s is left alone", async (_, robots) => {
  show(at(1));
  answer("/robots.txt", robots);
  answer("/1", { status: 410 });
  await hearAndCheck();
  expect(asked()).not.toContain("/1");
  expect(await titles()).toHaveLength(1);
});

test("an item cannot make Earshot ask an address inside, nor what is no page", async () => {
  const inside = [`${elsewhere.url}/admin`, "file:///etc/passwd", `${blog.url}/${"x".repeat(1_200)}`];
  show(...inside);
  await hearAndCheck();
  expect(asked(elsewhere)).toEqual([]);
  expect(asked()).toEqual([]);
  expect(await titles()).toHaveLength(3);
});

test("three pages are asked after a fetch, those first that have waited longest", async () => {
  show(...[1, 2, 3, 4, 5].map(at));
  for (const n of [1, 2, 3, 4, 5]) answer(`/${n}`, { body: "here" });
  await hearAndCheck();
  expect(asked()).toHaveLength(4);
  const { rows } = await sql<{ waits: boolean }>`
    select check_at > now() + interval '20 minutes' as waits from local_api.received_item`.execute(db);
  expect(rows.filter(({ waits }) => waits)).toHaveLength(3);
});
