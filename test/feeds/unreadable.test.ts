import { sql } from "kysely";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { feedStatus } from "../../src/feeds/run/feed-status.ts";
import { planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { configureFeeds, listFeeds } from "../../src/feeds/store/feeds.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { feedsOf, startFeeding } from "./feeding.ts";
import { reader } from "./reader.ts";

const server = await startFeedServer();
afterAll(server.close);
const feeds = feedsOf({ kind: "rss", urls: [`${server.url}/feed`] });
const feeding = await startFeeding({ feeds, queries: { Acme: "acme" } });
const { db, projectId } = feeding;
const date = new Date(systemClock.now()).toUTCString();
const show = (title: string) =>
  server.pages.set("/feed", {
    body: rssDocument([{ guid: title, title, link: "https://a.example/1", date }]),
  });

beforeEach(() => show("Acme"));

async function listed() {
  const { at, feeds: all } = await listFeeds(db, projectId);
  const [feed] = all;
  if (feed === undefined) throw new Error("there is no feed");
  return { feed, at, status: feedStatus(feed, at) };
}

/** A process that reads the feed and is ended in the middle of it: its lease runs out. */
async function dieReading(attempt: number): Promise<void> {
  await feeding.makeDue();
  const hanging = { ...reader, readAnswer: () => new Promise<never>(() => {}) };
  void feeding.worker({ reader: hanging }).fetchNext();
  await vi.waitFor(async () => expect((await listed()).feed.readings).toBe(attempt));
  await sql`update feeds.feed set lease_until = now()`.execute(db);
}

test("a document that ends the process is not read at once by the next one, and later each time", async () => {
  for (const [attempt, minutes] of [
    [1, 10],
    [2, 20],
    [3, 40],
  ] as const) {
    await dieReading(attempt);
    // A restart makes nothing due.
    await configureFeeds(db, projectId, planFeeds({ feeds, queries: [] }));
    expect(await feeding.worker().fetchNext()).toBeNull();
    const { feed, at, status } = await listed();
    expect(Math.round(((feed.nextAt ?? 0) - at) / MINUTE)).toBe(minutes);
    expect(status).toMatchObject({ state: "failing", why: expect.stringContaining(`attempt ${attempt}`) });
  }
  show("Acme is another document");
  await dieReading(1);
  await feeding.fetchAll();
  expect((await listed()).feed).toMatchObject({ readings: 0, problem: null });
  expect((await feeding.mentions()).map(({ title }) => title)).toContain("Acme is another document");
});
