import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { planFeeds } from "../../src/feeds/common/plan-feeds.ts";
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
  const { rows: counted } = await sql`select items_today, matched_today from local_api.feed`.execute(
    feeding.db,
  );
  expect(counted).toEqual([{ items_today: 79, matched_today: 79 }]);
});

test("a fetch stores 2,000 items, also of a source with a cursor, and the next one goes on with the rest", async () => {
  const statuses = Array.from({ length: 2_300 }, (_, n) => ({
    ...{ id: String(10_000 - n), uri: `https://m.example/${n}`, url: `https://m.example/${n}` },
    ...{ created_at: new Date(now - n * 1_000).toISOString(), visibility: "public", content: `acme ${n}` },
    account: { acct: "ann", url: "https://m.example/@ann" },
  }));
  const isKnown = (path: string) => /min_id=10000|since_id=10000/.test(path);
  server.pages.set("*", (request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(isKnown(request.url ?? "") ? [] : statuses));
  });
  const mastodon = { kind: "mastodon", server: server.url, tags: ["acme"] };
  const feeding = await startFeeding({ feeds: feedsOf(mastodon), queries: { one: "acme" } });
  const worker = feeding.worker();
  await worker.fetchNext();
  expect(await feeding.mentions()).toHaveLength(2_000);
  await feeding.makeDue();
  await worker.fetchNext();
  expect(await feeding.mentions()).toHaveLength(2_300);
});
