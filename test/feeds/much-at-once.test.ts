import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { startFeedServer } from "../fakes/feed-server.ts";
import { feedsOf, startFeeding } from "./feeding.ts";

const server = await startFeedServer();
afterAll(server.close);
const queries = { one: "acme", two: "acme AND kettle", three: "kettle" };
const now = systemClock.now();

test("what many long texts bring is stored in several transactions, and all of it counts", async () => {
  const feeds = feedsOf({ kind: "push", token: "0123456789abcdef" });
  const feeding = await startFeeding({ feeds, queries });
  const [feed] = planFeeds({ feeds, queries: [] });
  if (feed === undefined) throw new Error("there is a feed");
  const items = Array.from({ length: 80 }, (_, n) => ({
    ...{ id: String(n), url: null, title: null, publishedAt: now, author: null },
    body: { text: `${n} acme ${"kettle ".repeat(2_500)}` },
  }));
  const deletes = [{ id: "0", reason: "asked to" }];
  const received = await feeding.worker().receivePushed(feed, { items, deletes });
  expect(received).toEqual({ added: 79, edited: 0, deleted: 0, matched: 79 });
  expect(await feeding.mentions()).toHaveLength(3 * 79);
  // Each transaction has a stamp of its own.
  const { rows } = await sql`select distinct added from local_api.mention`.execute(feeding.db);
  expect(rows.length).toBeGreaterThan(1);
  const { rows: counted } = await sql`select items_today, matched_today from feeds.feed`.execute(feeding.db);
  expect(counted).toEqual([{ items_today: 79, matched_today: 79 }]);
  // Edited items were counted when they came.
  const edits = items.slice(1, 3).map((item) => ({ ...item, body: { text: `${item.id} acme, corrected` } }));
  expect(await feeding.worker().receivePushed(feed, { items: edits, deletes: [] })).toMatchObject({
    ...{ added: 0, edited: 2, matched: 0 },
  });
  const { rows: later } = await sql`select items_today, matched_today from feeds.feed`.execute(feeding.db);
  expect(later).toEqual(counted);
});

test("a fetch stores 2,000 items, also of a source with a cursor, and the next one goes on with the rest", async () => {
  const status = (n: number) => ({
    ...{ id: String(n), uri: `https://m.example/${n}`, url: `https://m.example/${n}` },
    ...{ created_at: new Date(now).toISOString(), visibility: "public", content: `acme ${n}` },
    account: { acct: "ann", url: "https://m.example/@ann" },
  });
  // Three pages of 900 behind the first post.
  server.pages.set("*", (request, response) => {
    const known = new URL(request.url ?? "", server.url).searchParams.get("min_id");
    const from = known === null ? 0 : Number(known);
    const posts = Array.from(
      { length: known === null ? 1 : Math.min(900, 2_701 - from) },
      (_, n) => from + n + 1,
    );
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(posts.reverse().map(status)));
  });
  const mastodon = { kind: "mastodon", server: server.url, tags: ["acme"] };
  const feeding = await startFeeding({ feeds: feedsOf(mastodon), queries: { one: "acme" } });
  const worker = feeding.worker();
  for (const stored of [1, 2_001, 2_701]) {
    await feeding.makeDue();
    await worker.fetchNext();
    expect(await feeding.mentions()).toHaveLength(stored);
  }
});
