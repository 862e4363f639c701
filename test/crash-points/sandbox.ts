import { Redis } from "ioredis";
import pg from "pg";
import type { InboxMessage, InboxStore } from "../../src/console/inbox/inbox-store.ts";
import { createManualClock, type ManualClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { createLog } from "../../src/lib/log.ts";
import { createLocalApi } from "../../src/listening-api/create-local-api.ts";
import type { BackendOptions } from "../../src/monitor/queue/backend.ts";
import { openPool } from "../../src/monitor/store/database.ts";
import { createMemoryInboxStore } from "../fakes/memory-inbox-store.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/slack.ts";
import { type FakeSmtp, startFakeSmtp } from "../fakes/smtp.ts";
import { type FakeWebServer, startFakeWebServer } from "../fakes/web-server.ts";
import { type Chapter, queriesOf } from "./chapter.ts";
import { createGate, type Gate } from "./gate.ts";
import { type NameCall, openHttpRelay } from "./proxies/http.ts";
import { readPostgres } from "./proxies/postgres.ts";
import { readRedis } from "./proxies/redis.ts";
import { openRelay } from "./proxies/relay.ts";
import { readSmtp } from "./proxies/smtp.ts";
import { type Account, EMPTY, type Stage, USER } from "./stage.ts";

/** The state of all vendors at a moment. */
interface Outside {
  readonly inbox: readonly InboxMessage[];
  /**
   * What the Listening API serves: the account that all sandboxes share and only read; or one of its own, which lies in its
   * database and is copied with it.
   */
  readonly account: "shared" | "own";
}

/** Where a play begins: a database to copy, and everybody outside. */
export interface Opening {
  readonly template: string;
  readonly outside: Outside;
}

/** Before anything has happened. */
export const BEGINNING: Opening = { template: EMPTY, outside: { inbox: [], account: "shared" } };

/** Where one chapter at a time is played: a database, vendors and a Listening API of its own, and relays. */
export interface Sandbox {
  readonly clock: ManualClock;
  readonly gate: Gate;
  readonly slack: FakeSlack;
  readonly smtp: FakeSmtp;
  readonly hook: FakeWebServer;
  readonly database: string;
  /** Resets its database and its vendors to where a play begins. */
  reset(opening: Opening): Promise<void>;
  /** The same, where another way leads its database there: connections to it stay open. */
  rewind(opening: Opening, putBack: () => Promise<void>): Promise<void>;
  /** Gives it an account of its own, with what people say there. */
  openAccount(account: Account): Promise<void>;
  /** Stores its database under this name, and its vendors: plays begin there. It has to be reset before it works again. */
  keep(template: string): Promise<Opening>;
  /** How a worker reaches the tables and the queue: past the relays, or through them. */
  engines(through: "relays" | "nothing"): { readonly databaseUrl: string; readonly queue: BackendOptions };
  configOf(chapter: ConfiguredChapter, source: object): object;
  /** Makes the jobs of dead workers look stalled for long enough, so that the next check finds them. */
  freeJobs(): Promise<void>;
  /** From this instant on the worker behind the relays reaches nobody, and nobody reaches it. */
  shut(): void;
  /** Breaks every connection through the relays: the process on their other end is gone. They are open for another. */
  cut(): void;
  close(): Promise<void>;
}

/** What of a chapter is in the configuration. */
type ConfiguredChapter = Pick<Chapter, "name" | "also" | "pageSize" | "source" | "config">;

export async function openSandbox(stage: Stage, index: number): Promise<Sandbox> {
  const closing = createClosing();
  const clock = createManualClock(0);
  const gate = createGate();
  const database = `crash_sandbox_${index}`;
  const shared = await serveAccount(stage.apiPool, clock);
  closing.add(shared.close);
  let own: ServedAccount | null = null;
  const closeOwn = async (): Promise<void> => {
    await own?.close();
    own = null;
  };
  closing.add(closeOwn);
  const openOwn = async (): Promise<void> => {
    own = await serveOwnAccount(stage.urlOf(database), clock);
  };
  const inbox = createInbox();
  const slack = await startFakeSlack({ store: inbox.store });
  closing.add(slack.close);
  const smtp = await startFakeSmtp();
  closing.add(smtp.close);
  const hook = await startFakeWebServer();
  closing.add(hook.close);
  const relays = {
    postgres: await openRelay(
      () => stage.postgresPort,
      gate,
      () => readPostgres(),
    ),
    redis: stage.redisPort === null ? null : await openRelay(() => stage.redisPort ?? 0, gate, readRedis),
    smtp: await openRelay(() => smtp.port, gate, readSmtp),
    slack: await openHttpRelay(() => Number(new URL(slack.apiUrl).port), gate, "slack", slackStep),
    hook: await openHttpRelay(() => Number(new URL(hook.url).port), gate, "webhook", hookStep),
    api: await openHttpRelay(() => (own ?? shared).port, gate, "api", apiStep),
  };
  const all = Object.values(relays).filter((relay) => relay !== null);
  for (const relay of all) closing.add(relay.close);
  const cut = (): void => {
    for (const relay of all) relay.cut();
    slack.sockets.break();
    gate.reopen();
  };
  const rewind = async ({ outside }: Opening, putBack: () => Promise<void>): Promise<void> => {
    cut();
    await closeOwn();
    await putBack();
    if (outside.account === "own") await openOwn();
    if (stage.queue === "redis") await inRedis(stage, index, (redis) => redis.flushdb());
    await inbox.fill(outside.inbox);
    slack.calls.length = 0;
    slack.sockets.answered.length = 0;
    smtp.mails.length = 0;
    hook.requests.length = 0;
  };
  return {
    clock,
    gate,
    slack,
    smtp,
    hook,
    database,
    reset: (opening) =>
      rewind(opening, async () => {
        await stage.administrate(`drop database if exists ${database} with (force)`);
        await stage.administrate(
          `create database ${database} template ${opening.template} strategy file_copy`,
        );
      }),
    rewind,
    openAccount: async (account) => {
      await stage.writeAccount(stage.urlOf(database), account);
      await openOwn();
    },
    keep: async (template) => {
      const account = own === null ? "shared" : "own";
      await closeOwn();
      await stage.administrate(`drop database if exists ${template} with (force)`);
      await stage.administrate(`create database ${template} template ${database}`);
      return { template, outside: { inbox: await inbox.all(), account } };
    },
    engines: (through) => {
      const url = new URL(stage.urlOf(database));
      if (through === "relays") url.port = String(relays.postgres.port);
      const redisPort = through === "relays" ? relays.redis?.port : stage.redisPort;
      const queue: BackendOptions =
        redisPort == null
          ? { kind: "postgres", url: url.href, schema: "earshot_queue" }
          : { kind: "redis", url: `redis://127.0.0.1:${redisPort}/${index}`, prefix: "earshot" };
      return { databaseUrl: url.href, queue };
    },
    configOf: (chapter, source) =>
      configOf(chapter, source, {
        rules: stage.rules,
        api: `http://127.0.0.1:${relays.api.port}`,
        slack: `http://127.0.0.1:${relays.slack.port}/api/`,
        smtp: relays.smtp.port,
        hook: `http://127.0.0.1:${relays.hook.port}/hook`,
        tokens: { token: slack.token, appToken: slack.appToken },
      }),
    freeJobs: () =>
      stage.queue === "redis" ? freeInRedis(stage, index) : freeInPostgres(stage.urlOf(database)),
    shut: () => {
      gate.shut();
      slack.sockets.break();
    },
    cut,
    close: closing.close,
  };
}

/** Opening a socket is repeated until one is open, and is no step. Only posting and editing leave something. */
const slackStep: NameCall = (_method, path) => {
  if (path.startsWith("/upload/")) return { name: "upload", leaves: true };
  const name = path.replace(/^\/api\//, "").replace(/[/?].*/, "");
  return name === "apps.connections.open" || name === ""
    ? null
    : { name, leaves: /^(chat|files)\./.test(name) };
};

const hookStep: NameCall = (method) => ({ name: method, leaves: true });

/** The source is only read, but where corrections and groups of queries are written. A login leaves nothing. */
const apiStep: NameCall = (method, path) => ({
  name: `${method} ${path.replace(/\?.*/, "").replaceAll(/\d+/g, "…")}`,
  leaves: method !== "GET" && path.startsWith("/projects/"),
});

interface ServedAccount {
  readonly port: number;
  close(): Promise<void>;
}

/** A Listening API for the account in a database. */
async function serveAccount(pool: pg.Pool, clock: ManualClock): Promise<ServedAccount> {
  const log = createLog({ level: "silent" });
  const api = createLocalApi({ pool, clock, log, signingSecret: "for tests" });
  const url = await api.listen({ host: "127.0.0.1", port: 0 });
  return { port: Number(new URL(url).port), close: api.close };
}

async function serveOwnAccount(url: string, clock: ManualClock): Promise<ServedAccount> {
  const pool = openPool({ url, connections: 4, onError: () => {} });
  const { port, close } = await serveAccount(pool, clock);
  return {
    port,
    close: async () => {
      await close();
      await pool.end();
    },
  };
}

function createInbox() {
  let current = createMemoryInboxStore();
  const store: InboxStore = {
    append: (message) => current.append(message),
    update: (message) => current.update(message),
    find: (id) => current.find(id),
    remove: (id) => current.remove(id),
    putFile: (file) => current.putFile(file),
    findFile: (id) => current.findFile(id),
    list: (filter) => current.list(filter),
  };
  return {
    store,
    all: async () => structuredClone([...(await current.list({ limit: Number.MAX_SAFE_INTEGER }))].reverse()),
    fill: async (messages: readonly InboxMessage[]) => {
      current = createMemoryInboxStore();
      for (const message of structuredClone(messages)) await current.append(message);
    },
  };
}

function configOf(
  {
    pageSize = 50,
    source: own = {},
    config: { receiverSettings = {}, ...config } = {},
    ...story
  }: ConfiguredChapter,
  source: object,
  at: {
    readonly rules: string;
    readonly api: string;
    readonly slack: string;
    readonly smtp: number;
    readonly hook: string;
    readonly tokens: { readonly token: string; readonly appToken: string };
  },
): object {
  const email = (receiver: string) => ({
    name: receiver,
    kind: "email",
    to: `${receiver}@acme.example`,
    from: "earshot@acme.example",
    smtp: { host: "127.0.0.1", port: at.smtp, connections: 0 },
    throttle: "none",
    ...receiverSettings[receiver],
  });
  return {
    source: {
      baseUrl: at.api,
      ...USER,
      clientId: "earshot-api-client",
      queries: queriesOf(story),
      pollEvery: "5m",
      updatesEvery: "5m",
      history: "1d",
      pageSize,
      ...source,
      ...own,
    },
    receivers: [
      {
        ...{ name: "crisis", kind: "slack", channel: "#crisis", apiUrl: at.slack, ...at.tokens },
        ...{ postEvery: "0s", editEvery: "0s", throttle: "none", ...receiverSettings["crisis"] },
      },
      email("team"),
      email("on-call"),
      email("reader"),
      email("deputy"),
      { name: "program", kind: "webhook", url: at.hook, allowPrivateAddress: true },
    ],
    routes: [{ receivers: ["crisis", "team"], repeatEvery: "never" }],
    rules: at.rules,
    ...config,
  };
}

async function freeInPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`update earshot_queue.job set locked_until_ms = locked_until_ms - 60000, stalled_marked = true
    where state = 'active'`);
  await client.query("delete from earshot_queue.meta where field = 'stalled-check'");
  await client.end();
}

/** As if their locks had expired and the first check for stalled jobs had marked them. */
async function freeInRedis(stage: Stage, index: number): Promise<void> {
  await inRedis(stage, index, async (redis) => {
    for (const active of await redis.keys("*:active")) {
      const queue = active.replace(/:active$/, "");
      const ids = await redis.lrange(active, 0, -1);
      await redis.del(`${queue}:stalled-check`, ...ids.map((id) => `${queue}:${id}:lock`));
      if (ids.length > 0) await redis.sadd(`${queue}:stalled`, ...ids);
    }
  });
}

async function inRedis(stage: Stage, index: number, work: (redis: Redis) => Promise<unknown>): Promise<void> {
  const redis = new Redis({ port: stage.redisPort ?? 0, db: index });
  try {
    await work(redis);
  } finally {
    redis.disconnect();
  }
}
