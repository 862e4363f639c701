import { chmod, cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "pg";
import { migrateFeeds } from "../../src/feeds/store/migrate-feeds.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { type Closing, createClosing } from "../../src/lib/closing.ts";
import type { Instant } from "../../src/lib/instant.ts";
import { createLog } from "../../src/lib/log.ts";
import { type SeededAccount, seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { createLocalApi, type LocalApi } from "../../src/listening-api/create-local-api.ts";
import { createDatabase, type Database } from "../../src/listening-api/store/database.ts";
import { FAULT_HEADER } from "../../src/listening-api/store/fault-kinds.ts";
import { openPool } from "../../src/monitor/store/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/monitor/store/embedded.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/slack.ts";
import { type FakeSmtp, startFakeSmtp } from "../fakes/smtp.ts";
import { type FakeWebServer, startFakeWebServer } from "../fakes/web-server.ts";
import { type KeepingRedis, startKeepingRedis } from "../redis.ts";
import { ROUTES, RULES } from "./expected.ts";
import type { QueueKind } from "./plan-kills.ts";
import {
  CHARTED,
  SCENARIO_DIGESTS,
  SCENARIO_ESCALATIONS,
  SCENARIO_QUERIES,
  shiftOf,
  THROTTLE,
} from "./scenario.ts";
import { QUERIES } from "./stream.ts";

export interface World {
  /** The names of the queries that the account has. */
  readonly queries: readonly string[];
  /** Holds Earshot's configuration. */
  readonly folder: string;
  /** Earshot's own PostgreSQL, which is killed; it comes back by itself on the same port. */
  readonly facts: EmbeddedPostgres;
  /** The hour that everybody's clocks show. */
  readonly clock: Clock;
  /** Sets the clocks of all processes to the hour at which the scenario begins. */
  setClock(): Promise<void>;
  /** For questions about the facts. */
  readonly factsPool: Pool;
  /** Null where the queues live in PostgreSQL. */
  readonly redis: KeepingRedis | null;
  /** The tables of the Listening API, in a PostgreSQL of their own that nothing happens to. */
  readonly api: Database;
  readonly account: SeededAccount;
  /** The most calls in any rolling window, as the API counted them. */
  mostCalls(): number;
  readonly slack: FakeSlack;
  readonly smtp: FakeSmtp;
  readonly hook: FakeWebServer;
  /** What the workers find in their environment. */
  readonly env: NodeJS.ProcessEnv;
  readonly closing: Closing;
}

/** Calls a minute that the account allows: fewer than the polls would make, so that the budget limits them. */
export const CALLS_A_MINUTE = 700;

/** The channel for alerts about Earshot itself. */
const OPERATORS = "operators";

const USER = { username: "monitor@acme.example", password: "correct horse battery" };

/** The engines and everybody outside: a Listening API, a Slack and a mail server that fail, all on this machine. */
export async function openWorld(
  queue: QueueKind,
  { withScenario }: { readonly withScenario: boolean } = { withScenario: true },
): Promise<World> {
  const queries = withScenario ? [...QUERIES, ...SCENARIO_QUERIES] : QUERIES;
  const closing = createClosing();
  try {
    const folder = await mkdtemp(join(tmpdir(), "earshot-chaos-"));
    await chmod(folder, 0o755);
    closing.add(() => rm(folder, { recursive: true, force: true }));
    const facts = await startServer(closing, join(folder, "facts"), {});
    const factsPool = poolOf(closing, facts.url, 2);
    const outside = poolOf(
      closing,
      (await startServer(closing, join(folder, "outside"), NOTHING_HAPPENS)).url,
      12,
    );
    const shiftFile = join(folder, "shift");
    let shiftMs = shiftOf(systemClock.now() + BEGINS_BY_MS);
    await writeFile(shiftFile, String(shiftMs));
    const clock: Clock = { now: () => systemClock.now() + shiftMs, speed: 1 };
    const setClock = async (): Promise<void> => {
      shiftMs = shiftOf(systemClock.now());
      await writeFile(`${shiftFile}.new`, String(shiftMs));
      await rename(`${shiftFile}.new`, shiftFile);
    };
    await migrateFeeds(outside);
    const account = await seedAccount(outside, accountAt(clock.now(), queries));
    const api = createLocalApi({
      pool: outside,
      clock,
      log: createLog({ level: "silent" }),
      signingSecret: "for tests",
    });
    closing.add(api.close);
    const mostCalls = watchCalls(api);
    // The source's clock is known by what its answers are dated, which the server would take from the wall.
    api.app.addHook("onSend", async (_request, reply) => {
      reply.header("date", new Date(clock.now()).toUTCString());
    });
    const apiUrl = await api.listen({ host: "127.0.0.1", port: 0 });
    const slack = await startFakeSlack();
    closing.add(slack.close);
    const smtp = await startFakeSmtp({ parsesLater: true });
    closing.add(smtp.close);
    const hook = await startFakeWebServer();
    closing.add(hook.close);
    const redis = queue === "redis" ? await startKeepingRedis() : null;
    if (queue === "redis" && redis === null) throw new Error("there is no redis-server on the PATH");
    if (redis !== null) closing.add(redis.remove);
    await writeConfiguration(folder, apiUrl, { slack, smtp, hook }, withScenario ? SCENARIO_DIGESTS : []);
    const env = {
      ...process.env,
      DATABASE_URL: facts.url,
      REDIS_URL: redis?.url ?? "",
      EARSHOT_CONFIG: join(folder, "earshot.yaml"),
      EARSHOT_HOME: folder,
      LOG_LEVEL: "info",
      CHAOS_SHIFT_FILE: shiftFile,
    };
    const db = createDatabase(outside);
    return {
      queries,
      folder,
      facts,
      clock,
      setClock,
      factsPool,
      redis,
      api: db,
      account,
      mostCalls,
      slack,
      smtp,
      hook,
      env,
      closing,
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

/**
 * The PostgreSQL of this directory; after an end, once more on the same port. Without settings of its own it writes to
 * the disk as that of users does.
 */
export async function startServer(
  closing: Closing,
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Promise<EmbeddedPostgres> {
  const log = createLog({ level: "silent" });
  const server = await startEmbeddedPostgres({ dataDir, log, maxConnections: 250, settings });
  closing.add(server.stop);
  return server;
}

/** The Listening API's own tables: they are never killed. */
const NOTHING_HAPPENS = { fsync: "off", full_page_writes: "off" };

/** The workers have started by then; else the digest of the scenario is sent before the first kill. */
const BEGINS_BY_MS = 600_000;

function poolOf(closing: Closing, url: string, connections: number): Pool {
  const pool = openPool({ url, connections, onError: () => {} });
  closing.add(() => pool.end());
  return pool;
}

function accountAt(at: Instant, queries: readonly string[]) {
  return {
    client: {
      name: "Acme",
      tags: { "ratelimit.limit": String(CALLS_A_MINUTE), "ratelimit.period": "1" },
    },
    user: USER,
    project: { name: "Brands" },
    queries: queries.map((name) => ({ name })),
    at,
  };
}

/** Every answer to a valid token has the number of calls in the window; the fault 429 is not counted. */
function watchCalls({ app }: LocalApi): () => number {
  let most = 0;
  app.addHook("onResponse", async (_request, reply) => {
    if (reply.hasHeader(FAULT_HEADER)) return;
    most = Math.max(most, Number(reply.getHeader("x-rate-limit-used") ?? 0));
  });
  return () => most;
}

async function writeConfiguration(
  folder: string,
  baseUrl: string,
  { slack, smtp, hook }: Pick<World, "slack" | "smtp" | "hook">,
  digests: readonly object[],
): Promise<void> {
  const channel = (name: string) => ({
    ...{
      name,
      kind: "slack",
      channel: `#${name}`,
      token: slack.token,
      apiUrl: slack.apiUrl,
      postEvery: "0s",
      editEvery: "1s",
      // Each alert is a message of its own, so that they can be counted.
      throttle: "none",
    },
  });
  const { host, port } = smtp;
  const mailbox = (name: string) => ({
    ...{ name, kind: "email", to: `${name}@acme.example`, from: "earshot@acme.example" },
    ...{ smtp: { host, port }, throttle: "none" },
  });
  const config = {
    source: {
      ...{ baseUrl, ...USER, clientId: "earshot-api-client", pageSize: 12, timeout: "10s" },
      // What is late by more than `overlap` may be missed, and what is late by more than `settle` makes a claim untrue.
      ...{ pollEvery: "1s", updatesEvery: "2s", history: "1h", overlap: "20s", settle: "6s" },
    },
    receivers: [
      channel("recalls"),
      channel("unhappy"),
      channel(OPERATORS),
      ...["crowd", "grumble", "silenced", "nagging", "grouped", "digest-slack"].map(channel),
      { ...channel("throttled"), throttle: THROTTLE },
      ...["pressed", ...CHARTED].map((name) => ({ ...channel(name), appToken: slack.appToken })),
      { name: "program", kind: "webhook", url: hook.url, allowPrivateAddress: true },
      ...["team", "on-call", "digest-team"].map(mailbox),
    ],
    routes: ROUTES,
    escalations: SCENARIO_ESCALATIONS,
    digests,
    operator: { receivers: [OPERATORS] },
    templates: join(folder, "templates"),
  };
  // A copy, so that a long run does not see what somebody edits meanwhile.
  await cp(join(import.meta.dirname, "..", "..", "templates"), config.templates, { recursive: true });
  // JSON is YAML.
  await writeFile(join(folder, "earshot.yaml"), JSON.stringify(config));
  await mkdir(join(folder, "rules"));
  for (const [name, text] of Object.entries(RULES))
    await writeFile(join(folder, "rules", `${name}.yaml`), text);
}
