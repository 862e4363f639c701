import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Config, parseConfig } from "../../src/admin/config/config.ts";
import { withListening } from "../../src/app/open-listening.ts";
import type { PushEndpoint } from "../../src/feeds/run/push-endpoint.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { DAY, SECOND } from "../../src/lib/instant.ts";
import { startEarshot } from "../../src/monitor/monitor.ts";
import { ROLES } from "../../src/monitor/roles.ts";
import { type FeedServer, type RssItem, rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/slack.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";

const TOKEN = "a-token-of-sixteen";
const WORD = "zanzibarrel";
const closing = createClosing();
let server: FeedServer;
let slack: FakeSlack;
let client: pg.Client;
let config: Config;
let databaseUrl: string;
let push: PushEndpoint;
let stop: () => Promise<void>;
/** How often the monitor asks by itself. */
let pollEvery = 200;

const item = (n: number): RssItem => ({
  ...{ guid: `${n}`, title: `Acme kettle ${n}`, link: `https://blog.example/${n}` },
  ...{ html: `<p>The kettle of Acme, part ${n}</p>`, date: new Date(systemClock.now()).toUTCString() },
});

/** From a configuration with `listen` to a monitor that runs. */
async function start(): Promise<void> {
  const inside = createClosing();
  stop = inside.close;
  const log = pino({ level: "silent" });
  const listening = await withListening(
    config,
    { databaseUrl, fetches: true, clock: systemClock, log, port: 0 },
    inside,
  );
  if (listening.push === null) throw new Error("there is a push feed");
  push = listening.push;
  const fed = listening.configOf(config);
  expect(() => listening.configOf({ ...config, listen: null })).toThrow("`listen` was changed");
  const earshot = await startEarshot({
    ...listening.forMonitor,
    config: { ...fed, sources: [{ ...fed.sources[0], pollEvery, updatesEvery: SECOND }] },
    databaseUrl,
    queue: { kind: "postgres", url: databaseUrl, schema: "earshot_queue" },
    clock: systemClock,
    log,
    roles: ROLES,
    sweepEveryMs: 200,
    checksHealth: false,
  });
  inside.add(earshot.stop);
}

beforeAll(async () => {
  const database = await createTestDatabase();
  closing.add(database.drop);
  databaseUrl = database.url;
  const folder = await mkdtemp(join(tmpdir(), "earshot-listen-"));
  closing.add(() => rm(folder, { recursive: true }));
  await writeFile(
    join(folder, "kettles.yaml"),
    "title: Kettles\ndescription: x\nseverity: info\nwhen: { keyword: kettle }\n",
  );
  server = await startFeedServer();
  closing.add(server.close);
  slack = await startFakeSlack();
  closing.add(slack.close);
  client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  closing.add(() => client.end());
  server.pages.set("/feed", { body: rssDocument([item(1)]) });
  config = await parseConfig({
    listen: {
      queries: [{ name: "Acme", text: "acme" }],
      categories: [{ name: "Safety", subcategories: [{ name: "Fire", text: "fire OR burn*" }] }],
      feeds: [
        { kind: "rss", urls: [`${server.url}/feed`], allowPrivateAddress: true },
        { kind: "push", token: TOKEN },
      ],
      pollEvery: "200ms",
    },
    receivers: [
      {
        name: "comms",
        kind: "slack",
        channel: "#alerts",
        token: slack.token,
        apiUrl: slack.apiUrl,
        postEvery: "0s",
      },
    ],
    routes: [{ receivers: ["comms"] }],
    rules: folder,
  });
  await start();
  closing.add(() => stop());
}, 60_000);
afterAll(() => closing.close());

test("from the file to the first Slack message", async () => {
  await until("Slack has a message", async () => (await slack.messages()).length > 0, { withinMs: 30_000 });
  expect(JSON.stringify((await slack.messages())[0])).toContain("kettle");
});

test("a restart with another query finds what was received before, and stores nothing twice", async () => {
  expect(await push.take(TOKEN, { id: 9, text: "Rivalware has a fire" })).toMatchObject({
    status: 200,
    body: { matched: 0 },
  });
  await stop();
  const listen = config.listen ?? { queries: [] };
  const rival = { name: "Rival", text: "rivalware", languages: [] };
  config = {
    ...config,
    listen: { ...config.listen, queries: [...listen.queries, rival] } as Config["listen"],
    sources: [{ ...config.sources[0], queries: ["Acme", "Rival"] }],
  };
  await start();
  const stored = async () =>
    (
      await client.query(
        "select q.name from earshot.mentions m join earshot.queries q using (query_id) order by 1",
      )
    ).rows;
  await until("both are stored", async () => (await stored()).length >= 2, { withinMs: 30_000 });
  expect((await stored()).map(({ name }) => name)).toEqual(["Acme", "Rival"]);
  const { rows } = await client.query(
    "select categories from local_api.mention m join local_api.query q on q.id = query_id where q.name = 'Rival'",
  );
  expect(rows[0].categories).toHaveLength(1);
});

test("a delete reaches the monitor's mentions when it asks for changed ones", async () => {
  const text = `Acme is said to be a ${WORD}`;
  await push.take(TOKEN, { id: 5, text, author: "Ann Example" });
  const held = async () =>
    (
      await client.query("select from earshot.mentions m where to_jsonb(m)::text ~ $1", [
        `${WORD}|Ann Example`,
      ])
    ).rowCount ?? 0;
  await until("the monitor has it", async () => (await held()) === 1, { withinMs: 30_000 });
  expect(await push.take(TOKEN, { id: 5, deleted: true })).toMatchObject({ body: { deleted: 1 } });
  await until("it is gone", async () => (await held()) === 0, { withinMs: 30_000 });
  // A late copy does not bring it back.
  expect(await push.take(TOKEN, { id: 5, text })).toMatchObject({ body: { added: 0, matched: 0 } });
  const { rowCount } = await client.query("select from local_api.mention m where to_jsonb(m)::text ~ $1", [
    WORD,
  ]);
  expect(rowCount).toBe(0);
});

test("what is pushed is polled at once, however seldom the monitor asks", async () => {
  await stop();
  pollEvery = 400 * DAY;
  await start();
  const found = async (statement: string) => (await client.query(statement)).rowCount !== 0;
  const soon = "select from earshot.polls where poll = 'added' and next_at < now() + interval '5 minutes'";
  await until("its polls are done for long", async () => !(await found(soon)), { withinMs: 20_000 });
  await push.take(TOKEN, { id: "now", text: "The kettle of Acme whistles" });
  const stored = "select from earshot.mentions where body::text like '%whistles%'";
  await until("the monitor has it", () => found(stored), { withinMs: 8_000 });
});
