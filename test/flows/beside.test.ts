import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Config, parseConfig } from "../../src/admin/config/config.ts";
import { withListening } from "../../src/app/open-listening.ts";
import type { PushEndpoint } from "../../src/feeds/run/push-endpoint.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { createLog } from "../../src/lib/log.ts";
import { type SeededAccount, seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { createLocalApi } from "../../src/listening-api/create-local-api.ts";
import { mentionRecord } from "../../src/listening-api/records/mention-record.ts";
import { wireTime } from "../../src/listening-api/records/wire.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { whyText } from "../../src/monitor/explain/ask-source.ts";
import { whyMention } from "../../src/monitor/explain/why.ts";
import { type Earshot, startEarshot } from "../../src/monitor/monitor.ts";
import { ROLES } from "../../src/monitor/roles.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { openDatabase, openPool } from "../../src/monitor/store/database.ts";
import { type LimitedLine, openLimitedLine } from "../fakes/limited-line.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/slack.ts";
import { createTestDatabase } from "../postgres.ts";
import { until as waitUntil } from "../until.ts";

const ACCOUNT = { username: "monitor@acme.example", password: "correct horse battery" };
const TOKEN = "a-token-of-sixteen";
/** With these, the account has more polls than a process does at once. */
const OTHERS = ["Bolt", "Crate", "Dash", "Ember"];
const LIMIT = { limit: 12, periodMs: 4 * SECOND };

const closing = createClosing();
const log = createLog({ level: "silent" });
let slack: FakeSlack;
let account: SeededAccount;
let accountPool: ReturnType<typeof openPool>;
let accountLine: LimitedLine;
/** Between the monitor and its own Listening API. */
let feedsLine: LimitedLine;
let config: Config;
let databaseUrl: string;
let client: pg.Client;
let push: PushEndpoint;
let earshot: Earshot;
let stop: () => Promise<void>;

async function start(): Promise<void> {
  const inside = createClosing();
  stop = inside.close;
  const parts = { databaseUrl, fetches: true, clock: systemClock, log, port: 0 };
  const listening = await withListening(config, parts, inside);
  if (listening.push === null || listening.local === null) throw new Error("there is a push feed");
  push = listening.push;
  feedsLine = await openLimitedLine(listening.local.url, null);
  inside.add(feedsLine.close);
  const [first, feeds] = listening.configOf(config).sources;
  if (feeds === undefined) throw new Error("there are two sources");
  earshot = await startEarshot({
    config: { ...config, sources: [first, { ...feeds, baseUrl: feedsLine.url, updatesEvery: SECOND }] },
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

const rows = async <Row>(sql: string) => (await client.query(sql)).rows as Row[];

const until = (what: string, isSo: () => Promise<boolean>) =>
  waitUntil(what, isSo, { withinMs: 40_000, everyMs: 100 });

/** Resource ids of the stored mentions of one source. */
const stored = async (source: "account" | "feeds"): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      `select resource_id as id from earshot.mentions where starts_with(project_id, 'feeds-') = ${source === "feeds"}
       order by 1`,
    )
  ).map(({ id }) => id);

/** Somebody writes what the account's query finds. */
async function publish(resourceId: string, text: string): Promise<void> {
  const at = systemClock.now();
  const moments = { date: at, added: at, updated: at, visibleAt: at };
  const [[queryName, queryId] = ["", 0]] = account.queries;
  const wire = { date: wireTime(at), added: wireTime(at), updated: wireTime(at) };
  const record = mentionRecord({ queryId, queryName, resourceId, title: text, snippet: text, ...wire });
  await insertMentions(createDatabase(accountPool), [
    { version: 1, record, ...moments, supersededAt: null, fullText: null },
  ]);
}

/** Another program posts what the feeds' query finds; the id that it gets. */
async function post(id: number, text: string): Promise<void> {
  expect(await push.take(TOKEN, { id, text })).toMatchObject({ status: 200, body: { matched: 1 } });
}

beforeAll(async () => {
  const [database, other] = [await createTestDatabase(), await createTestDatabase()];
  for (const { drop } of [database, other]) closing.add(drop);
  databaseUrl = database.url;
  accountPool = openPool({ url: other.url, connections: 4, onError: () => {} });
  closing.add(() => accountPool.end());
  account = await seedAccount(accountPool, {
    client: { name: "Acme" },
    user: ACCOUNT,
    project: { name: "Brands" },
    queries: ["Acme", ...OTHERS].map((name) => ({ name, text: "rivalware" })),
    at: systemClock.now(),
  });
  const api = createLocalApi({
    ...{ pool: accountPool, clock: systemClock, log, signingSecret: "for tests", strict: true },
  });
  closing.add(api.close);
  accountLine = await openLimitedLine(await api.listen({ host: "127.0.0.1", port: 0 }), LIMIT);
  closing.add(accountLine.close);
  slack = await startFakeSlack();
  closing.add(slack.close);
  const rules = await mkdtemp(join(tmpdir(), "earshot-beside-"));
  closing.add(() => rm(rules, { recursive: true }));
  await writeFile(
    join(rules, "kettles.yaml"),
    "title: Kettles\ndescription: x\nseverity: info\nqueries: [Acme]\nwhen: { keyword: kettle }\n",
  );
  config = await parseConfig({
    source: {
      ...{ baseUrl: accountLine.url, ...ACCOUNT, clientId: "earshot-api-client", history: "1h" },
      timeout: "10s",
      ...{ pollEvery: "1s", updatesEvery: "2s" },
    },
    listen: {
      queries: [{ name: "Acme", text: "acme" }],
      feeds: [{ kind: "push", token: TOKEN }],
      pollEvery: "200ms",
    },
    receivers: [
      {
        ...{ name: "comms", kind: "slack", channel: "#alerts", token: slack.token },
        ...{ apiUrl: slack.apiUrl, postEvery: "0s" },
      },
    ],
    routes: [{ receivers: ["comms"] }],
    rules,
  });
  client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  closing.add(() => client.end());
  // The account is away from the start.
  accountLine.failWith(500);
  await start();
  closing.add(() => stop());
}, 60_000);
afterAll(() => closing.close());

test("an account that is away from the start stops nothing of the feeds", async () => {
  await post(1, "The kettle of Acme");
  await until("the mention of the feeds is stored", async () => (await stored("feeds")).length === 1);
  await until("Slack has its alert", async () => (await slack.messages()).length === 1);
  const { failures } = earshot.stores;
  expect((await failures.open()).map(({ scope }) => scope)).toEqual(["client"]);
});

test("both are watched, and equal ids do not mix", async () => {
  accountLine.failWith(null);
  const watched = "select from earshot.queries where active";
  await until("the account's queries are watched", async () => (await rows(watched)).length === 6);
  // A mention of the feeds has this id, too.
  const [same = ""] = await stored("feeds");
  await publish(same, "An account reads of a kettle");
  await until("the account's mention is stored", async () => (await stored("account")).length === 1);
  const queries = await rows<{ project_id: string; query_id: string; name: string; active: boolean }>(
    "select project_id, query_id, name, active from earshot.queries where name = 'Acme' order by 1",
  );
  const id = String(account.queries.get("Acme"));
  expect(queries).toEqual([
    { project_id: String(account.projectId), query_id: id, name: "Acme", active: true },
    { project_id: `feeds-${account.projectId}`, query_id: `feeds-${id}`, name: "Acme", active: true },
  ]);
  await until("Slack has the alerts of both", async () => (await slack.messages()).length >= 2);
  const alerts = await rows<{ project_id: string; mentions: number }>(
    "select project_id, count(*)::int as mentions from earshot.matches group by 1 order by 1",
  );
  expect(alerts).toEqual([
    { project_id: String(account.projectId), mentions: 1 },
    { project_id: `feeds-${account.projectId}`, mentions: 1 },
  ]);
  const { stores, rules, why } = earshot;
  const database = openDatabase({ url: databaseUrl, connections: 1, onError: () => {} });
  closing.add(database.close);
  const parts = { stores, rules, facts: createConsoleStore(database.db), ...why };
  const whys = await whyMention(parts, same);
  expect(
    whys.map(({ projectId, mention, alerts }) => [projectId, mention.queryId, alerts.length]).sort(),
  ).toEqual([
    [String(account.projectId), id, 1],
    [`feeds-${account.projectId}`, `feeds-${id}`, 1],
  ]);
  // The account is asked within its budget: until then it cannot say.
  await until("why asks each source about its own queries", async () => {
    const { queries: asked } = await whyText(parts, "Acme sells a kettle", "Acme");
    const said = asked.map(({ projectId, outcome }) => [projectId, outcome]).sort();
    return isDeepStrictEqual(said, [
      [String(account.projectId), "NotInQuery"],
      [`feeds-${account.projectId}`, "NotYetPolled"],
    ]);
  });
}, 90_000);

test("polls of our own API are not charged to the account", async () => {
  const [before, calls] = [accountLine.calls.length, feedsLine.calls.length];
  const planned = "select turn::int from earshot.budgets where calls is not null";
  const [from] = await rows<{ turn: number }>(planned);
  await until("the feeds were asked often", async () => feedsLine.calls.length > calls + 3 * LIMIT.limit);
  await until("the account was asked", async () => accountLine.calls.length > before + LIMIT.limit);
  const [to] = await rows<{ turn: number }>(planned);
  // Each planned call is one to the account.
  expect((to?.turn ?? 0) - (from?.turn ?? 0)).toBeLessThanOrEqual(accountLine.calls.length - before + 2);
  expect(accountLine.mostInWindow()).toBeLessThanOrEqual(LIMIT.limit);
  expect(accountLine.calls.filter(({ refused }) => refused)).toEqual([]);
  expect(await rows("select calls, learned_from from earshot.budgets order by calls")).toEqual([
    { calls: LIMIT.limit, learned_from: "answer" },
    { calls: null, learned_from: "client" },
  ]);
  // Only polls of the account have a plan.
  const feeds = "select distinct starts_with(project_id, 'feeds-') as feeds from earshot.polls";
  await until("only the account has a plan", async () =>
    isDeepStrictEqual(await rows(`${feeds} where next_poll_at is not null`), [{ feeds: false }]),
  );
}, 60_000);

test.each([
  ["account", 401] as const,
  ["account", "away"] as const,
  ["feeds", 500] as const,
  ["feeds", "away"] as const,
])(
  "%s fails with %s: the other one goes on, and it goes on itself when it is back",
  async (source, failure) => {
    const [line, other] =
      source === "account" ? ([accountLine, "feeds"] as const) : ([feedsLine, "account"] as const);
    const write = (which: string, id: number) =>
      which === "account" ? publish(`m${id}`, "no alert") : post(id, `Acme, no alert ${id}`);
    const n = { account: (await stored("account")).length, feeds: (await stored("feeds")).length };
    line.failWith(failure);
    const id = 100 + n.account + n.feeds;
    await write(source, id);
    await write(other, id + 1);
    await until("the other one goes on", async () => (await stored(other)).length === n[other] + 1);
    await expect(earshot.refreshQueries()).rejects.toThrow();
    expect(await stored(source)).toHaveLength(n[source]);
    expect(await rows("select from earshot.queries where active")).toHaveLength(6);
    const scopes = (await earshot.stores.failures.open()).map(({ scope }) => scope);
    expect(scopes.length).toBeGreaterThan(0);
    expect(scopes.some((scope) => scope.includes("feeds"))).toBe(source === "feeds");
    line.failWith(null);
    await until("it is read on", async () => (await stored(source)).length === n[source] + 1);
  },
  90_000,
);

test("an account that never answers holds up no poll of the feeds", async () => {
  const n = (await stored("feeds")).length;
  // Each of its polls has a call of its own.
  await client.query("update earshot.budgets set sharing = 'refused' where calls is not null");
  accountLine.failWith("hangs");
  const held =
    "select from earshot.polls where leased_until_wall > now() and not starts_with(project_id, 'feeds-')";
  await until("as many polls as run at once wait for it", async () => (await rows(held)).length >= 4);
  await post(800, "Acme, no alert meanwhile");
  await waitUntil("the feeds go on", async () => (await stored("feeds")).length === n + 1, {
    withinMs: 8_000,
  });
  accountLine.failWith(null);
}, 60_000);

test("a restart stores nothing twice, and a source that is left out is watched no more", async () => {
  const before = { account: await stored("account"), feeds: await stored("feeds") };
  await stop();
  await publish("later", "no alert");
  await start();
  await post(900, "Acme, later");
  await until("the account is read on", async () => (await stored("account")).length > before.account.length);
  await until("the feeds are read on", async () => (await stored("feeds")).length > before.feeds.length);
  expect(await stored("account")).toEqual([...before.account, "later"].sort());
  expect(await stored("feeds")).toHaveLength(before.feeds.length + 1);
  await stop();
  accountLine.failWith("away");
  const [first] = config.sources;
  config = { ...config, sources: [first] };
  const inside = createClosing();
  stop = inside.close;
  earshot = await startEarshot({
    ...{ config, databaseUrl, clock: systemClock, log, roles: ROLES, sweepEveryMs: 200, checksHealth: false },
    queue: { kind: "postgres", url: databaseUrl, schema: "earshot_queue" },
  });
  inside.add(earshot.stop);
  await until(
    "the queries of the feeds are left",
    async () =>
      (await rows("select from earshot.queries where active and starts_with(project_id, 'feeds-')"))
        .length === 0,
  );
}, 90_000);
