import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { monotonicMs, systemClock } from "../../src/lib/clock.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { feedsOf, startFeeding } from "../feeds/feeding.ts";
import { until } from "../until.ts";

// Sites that never answer held all places for fetches: four of them, for three minutes and a half.

const HOSTILE = 4;
const site = await startFeedServer();
const sites = await Promise.all(Array.from({ length: HOSTILE }, () => startFeedServer()));
const all = [site, ...sites];
afterAll(() => Promise.all(all.map((one) => one.close())));
const feeding = await startFeeding({
  feeds: feedsOf(...all.map(({ url }) => ({ kind: "rss", urls: [`${url}/feed`] }))),
  queries: { Acme: "acme" },
  limits: { timeoutMs: 30 * SECOND },
});
const { db } = feeding;
const date = new Date(systemClock.now()).toUTCString();
const show = ({ pages, url }: (typeof all)[number], title: string) =>
  pages.set("/feed", { body: rssDocument([{ guid: `${url} ${title}`, title, link: `${url}/page`, date }]) });

test("sites that never answer keep no feed from being fetched", async () => {
  for (const one of all) show(one, "Acme");
  await feeding.fetchAll();
  let [open, mostOpen] = [0, 0];
  for (const { pages } of sites)
    for (const path of ["/robots.txt", "/page"])
      pages.set(path, (_request, response) => {
        mostOpen = Math.max(mostOpen, ++open);
        response.on("close", () => open--);
      });
  await sql`update local_api.received_item set check_at = now()`.execute(db);
  const stop = new AbortController();
  const running = feeding.worker({ signal: stop.signal }).run();
  try {
    const due = (isHostile: boolean) =>
      sql`update feeds.feed set next_at = now()
      where (host <> ${new URL(site.url).host}) = ${isHostile}`.execute(db);
    await due(true);
    await until("a site is asked", () => open > 0, { withinMs: 20 * SECOND });
    show(site, "Acme has news");
    await due(false);
    await until(
      "the other feed was fetched",
      async () => (await feeding.mentions()).some(({ title }) => title === "Acme has news"),
      { withinMs: 20 * SECOND },
    );
    // Pages are given up after some seconds, too: what kept the others waiting for so long would ask all of them at once.
    expect(mostOpen).toBeLessThan(HOSTILE);
  } finally {
    stop.abort();
    await running;
  }
}, 60_000);

test("a site that never answers is given up long before a fetch is, and nothing of it is deleted", async () => {
  await sql`update local_api.received_item set check_at = null`.execute(db);
  await sql`update local_api.received_item set check_at = now() where reference = ${`${sites[0]?.url}/page`}`.execute(
    db,
  );
  await feeding.makeDue();
  const worker = feeding.worker();
  while ((await worker.fetchNext()) !== null);
  const from = monotonicMs();
  while (await worker.recheckNext());
  expect(monotonicMs() - from).toBeLessThan(20 * SECOND);
  const { rows } = await sql`select from local_api.received_item where deleted_at is not null`.execute(db);
  expect(rows).toEqual([]);
}, 60_000);
