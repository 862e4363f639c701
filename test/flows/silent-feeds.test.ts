import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConfig } from "../../src/admin/config/config.ts";
import { withListening } from "../../src/app/open-listening.ts";
import { createManualClock, systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { MINUTE } from "../../src/lib/instant.ts";
import { type Earshot, startEarshot } from "../../src/monitor/monitor.ts";
import { ROLES } from "../../src/monitor/roles.ts";
import { type FeedServer, rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { type Jetstream, startJetstream } from "../fakes/jetstream.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/slack.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";

const SOON = { withinMs: 20_000 };
const closing = createClosing();
const clock = createManualClock(systemClock.now());
let server: FeedServer;
let stream: Jetstream;
let slack: FakeSlack;
let client: pg.Client;
let earshot: Earshot;

beforeAll(async () => {
  const database = await createTestDatabase();
  closing.add(database.drop);
  const folder = await mkdtemp(join(tmpdir(), "earshot-silent-"));
  closing.add(() => rm(folder, { recursive: true }));
  server = await startFeedServer();
  closing.add(server.close);
  stream = await startJetstream();
  closing.add(stream.close);
  slack = await startFakeSlack();
  closing.add(slack.close);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  closing.add(() => client.end());
  server.pages.set("/blog", { status: 502, body: "away" });
  const config = await parseConfig({
    listen: {
      queries: [{ name: "Acme", text: "acme" }],
      feeds: [
        { kind: "rss", name: "Blog", urls: [`${server.url}/blog`], every: "15m", allowPrivateAddress: true },
        { kind: "bluesky", name: "Bluesky", hosts: [stream.url], allowPrivateAddress: true },
        { kind: "push", token: "sixteen-letters-1" },
      ],
    },
    receivers: [
      {
        ...{ name: "ops", kind: "slack", channel: "#ops", token: slack.token, apiUrl: slack.apiUrl },
        ...{ postEvery: "0s", throttle: "none" },
      },
    ],
    routes: [{ receivers: ["ops"] }],
    operator: { receivers: ["ops"] },
    rules: folder,
  });
  const log = pino({ level: "silent" });
  const listening = await withListening(
    config,
    { databaseUrl: database.url, fetches: true, clock: systemClock, log, port: 0 },
    closing,
  );
  earshot = await startEarshot({
    ...{ config: listening.configOf(config), ...listening.forMonitor, databaseUrl: database.url, clock, log },
    ...{ queue: { kind: "postgres", url: database.url, schema: "earshot_queue" } },
    ...{ roles: ROLES, sweepEveryMs: null },
  });
  closing.add(earshot.stop);
}, 60_000);
afterAll(() => closing.close());

const failed = async () =>
  (await client.query("select problem from feeds.feed where name = 'Blog' and failures > 0")).rowCount;
/** Everything was received `minutes` ago for the last time. */
const received = (minutes: number) =>
  client.query(
    `update feeds.feed set received_at = now() - ${minutes} * interval '1 minute',
      added_at = now() - interval '9 days'`,
  );
/** Health checks, two minutes apart. */
const check = async (minutes: number): Promise<void> => {
  for (let minute = 0; minute < minutes; minute += 2) {
    clock.advance(2 * MINUTE);
    await earshot.checkHealth();
  }
};
const alerts = async () =>
  (
    await client.query(
      `select a.rule, a.labels->>'feed' as feed, a.state, array_agg(n.kind order by n.id) as sent
        from earshot.alerts a left join earshot.notifications n on n.project_id = a.project_id and n.alert_id = a.id
        where a.project_id = 'all' and a.rule like 'feed-%' group by a.id, a.rule, a.labels, a.state order by a.rule desc, feed`,
    )
  ).rows;

test("operators hear once of each feed that falls silent, of what is lost, and when all is well", async () => {
  await until("the blog was tried", async () => (await failed()) === 1, SOON);
  await until("the stream is open", async () => stream.sockets.size === 1, SOON);
  await received(185.2);
  // A start is no reason to wake anybody.
  await check(14);
  expect(await alerts()).toEqual([]);
  await check(30);
  expect(await alerts()).toEqual([
    { rule: "feed-silent", feed: "Blog", state: "firing", sent: ["fired"] },
    { rule: "feed-silent", feed: "Bluesky", state: "firing", sent: ["fired"] },
  ]);
  const texts = JSON.stringify(await slack.messages());
  expect(texts).toContain("nothing comes from the feed Blog: last answer 3h 5m ago, expected every 15m.");
  expect(texts).toContain("the server fails (status 502); failure 1 in a row.");
  expect(texts).toContain("nothing comes from the feed Bluesky: last answer 3h 5m ago.");
  expect(texts).toContain("it is open, and nothing came for 3h 5m");
  expect(texts).toContain("Details: The reason: ");

  server.pages.set("/blog", { body: rssDocument([]) });
  await client.query("update feeds.feed set next_at = now() where kind = 'rss'");
  await client.query("delete from feeds.host");
  await until("the blog was received", async () => (await failed()) === 0, SOON);
  await client.query("update feeds.feed set received_at = now() where kind = 'bluesky'");
  await client.query(
    `insert into feeds.gap (project_id, key, from_at, to_at, reason)
      select project_id, key, now() - interval '50 hours', now() - interval '48 hours', 'the server has none'
      from feeds.feed where kind = 'bluesky'`,
  );
  await check(8);
  expect(await alerts()).toEqual([
    { rule: "feed-silent", feed: "Blog", state: "resolved", sent: ["fired", "resolved"] },
    { rule: "feed-silent", feed: "Bluesky", state: "resolved", sent: ["fired", "resolved"] },
    { rule: "feed-gap", feed: "Bluesky", state: "firing", sent: ["fired"] },
  ]);
  expect(JSON.stringify(await slack.messages())).toContain("posts of 2h are lost from the feed Bluesky");
}, 60_000);
