import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Pool } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { monotonicMs, systemClock } from "../../src/lib/clock.ts";
import { type Closing, createClosing } from "../../src/lib/closing.ts";
import { createLog } from "../../src/lib/log.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { createLocalApi } from "../../src/listening-api/create-local-api.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { openPool } from "../../src/monitor/store/database.ts";
import { bundleEntries } from "../bundle.ts";
import { type FakeSlack, startFakeSlack } from "../fakes/slack.ts";
import { mentionVersion, resourceId } from "../listening-api/fixture.ts";
import { createTestDatabase } from "../postgres.ts";
import { type Engine, queueEngines } from "./engines.ts";
import { type SourceWatch, watchSource } from "./source-watch.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const WAIT = { timeout: 30_000, interval: 20 };
const MENTIONS = 60;
const USER = { username: "monitor@acme.example", password: "correct horse battery" };

// Where there is a Redis, that is what many processes share; the contract of the queue holds the same on both.
describe.each(queueEngines().slice(-1))("worker processes with queues on $name", (engine) => {
  let closing: Closing;
  beforeAll(() => engine.open());
  afterAll(() => engine.close());
  afterEach(() => closing.close());

  test("work of killed workers is taken over within 15 s, and all is stored, counted and sent once", {
    timeout: 90_000,
  }, async () => {
    closing = createClosing();
    const world = await openWorld(engine, closing);
    const { source, slack, start, query } = world;
    // One poll waits between two pages, Slack has accepted one message without an answer: then the workers die.
    const walkStands = standStill(source);
    slack.faults.push({ method: "chat.postMessage", hang: "after" });
    const [poll, deliver, sweep] = await Promise.all([start("poll"), start("deliver"), start("sweep")]);
    await vi.waitFor(async () => expect(await query("select from earshot.polls")).toHaveLength(2), WAIT);
    await world.speak();
    await walkStands;
    await vi.waitFor(() => expect(slack.faults).toEqual([]), WAIT);
    const others = await Promise.all([start("poll"), start("deliver"), start("sweep")]);
    const [held] = await query<{ lease: string }>("select lease from earshot.polls where poll = 'added'");
    for (const worker of [poll, deliver, sweep]) worker.kill("SIGKILL");
    const killedAt = monotonicMs();

    await vi.waitFor(async () => {
      const [poll] = await query<{ lease: string | null }>(
        "select lease from earshot.polls where poll = 'added'",
      );
      expect(poll?.lease).not.toBe(held?.lease);
    }, WAIT);
    process.stdout.write(
      `picked up after ${((monotonicMs() - killedAt) / 1_000).toFixed(1)} s (wanted: within 15 s)\n`,
    );
    const whole = {
      ...{ stored: MENTIONS, distinct: MENTIONS },
      ...{ counted: MENTIONS / 2, alerts: MENTIONS / 2, sent: MENTIONS / 2, unsent: 0 },
    };
    // The last page has no mention that anybody is told of: all may be sent before it is stored.
    await vi.waitFor(async () => expect(await facts(world)).toEqual(whole), WAIT);
    const texts = (await slack.messages()).map(({ text }) => text);
    expect(new Set(texts).size).toBe(MENTIONS / 2);
    expect(texts).toHaveLength(MENTIONS / 2);
    for (const worker of others) {
      worker.kill("SIGTERM");
      expect((await once(worker, "exit"))[0]).toBe(0);
    }
  });
});

interface World {
  readonly source: SourceWatch;
  readonly slack: FakeSlack;
  query<Row>(sql: string): Promise<Row[]>;
  /** Lets people speak from now on, for five seconds. */
  speak(): Promise<void>;
  /** A worker of this role as a process of its own, once it runs. */
  start(role: string): Promise<ChildProcess>;
}

async function openWorld(engine: Engine, closing: Closing): Promise<World> {
  const log = createLog({ level: "silent" });
  const database = await createTestDatabase();
  closing.add(database.drop);
  const pool = openPool({ url: database.url, connections: 6, onError: () => {} });
  closing.add(() => pool.end());
  const account = await seedAccount(pool, {
    client: { name: "Acme" },
    user: USER,
    project: { name: "Brands" },
    queries: [{ name: "Acme" }],
    at: systemClock.now(),
  });
  const api = createLocalApi({ pool, clock: systemClock, log, signingSecret: "for tests", strict: true });
  closing.add(api.close);
  const source = watchSource(api, pool);
  const sourceUrl = await api.listen({ host: "127.0.0.1", port: 0 });
  const slack = await startFakeSlack();
  closing.add(slack.close);
  const folder = await mkdtemp(join(tmpdir(), "earshot-workers-"));
  closing.add(() => rm(folder, { recursive: true }));
  await writeConfiguration(folder, sourceUrl, slack);
  const bundle = await bundleEntries(["poll", "deliver", "sweep"].map(entryOf));
  closing.add(bundle.remove);
  const backend = engine.backend(database.url);
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    EARSHOT_CONFIG: join(folder, "earshot.yaml"),
    LOG_LEVEL: "info",
    REDIS_URL: backend.kind === "redis" ? backend.url : "",
  };
  return {
    source,
    slack,
    query: async <Row>(sql: string) => (await pool.query(sql)).rows as Row[],
    speak: () => speak(pool, account.queries.get("Acme") ?? 0),
    start: (role) => startWorker(bundle.file(entryOf(role)), env, closing),
  };
}

async function writeConfiguration(folder: string, baseUrl: string, slack: FakeSlack): Promise<void> {
  const config = {
    source: {
      ...{ baseUrl, ...USER, clientId: "earshot-api-client", pageSize: 5 },
      ...{ pollEvery: "500ms", updatesEvery: "2s", history: "1h" },
    },
    receivers: [
      {
        ...{ name: "alerts", kind: "slack", channel: "#alerts", token: slack.token, apiUrl: slack.apiUrl },
        ...{ throttle: "none" },
        postEvery: "0s",
      },
    ],
    routes: [{ receivers: ["alerts"] }],
    templates: join(ROOT, "templates"),
  };
  await writeFile(join(folder, "earshot.yaml"), JSON.stringify(config));
  await mkdir(join(folder, "rules"));
  const rules = {
    "by-author":
      "description: One alert an author.\nseverity: info\nwhen: { sentiment: negative }\ngroupBy: author\n",
    counted:
      "description: Counts.\nseverity: info\nwhen: { sentiment: negative }\nvolume: { atLeast: 1000, within: 1h }\n",
  };
  for (const [name, text] of Object.entries(rules))
    await writeFile(join(folder, "rules", `${name}.yaml`), text);
}

async function speak(pool: Pool, queryId: number): Promise<void> {
  const from = systemClock.now();
  const versions = Array.from({ length: MENTIONS }, (_, i) =>
    mentionVersion(
      {
        queryId,
        resourceId: resourceId(i),
        author: `author${i}`,
        fullname: `Author ${i}`,
        sentiment: i % 2 === 0 ? "negative" : "neutral",
      },
      { added: from + Math.floor((i * 5_000) / MENTIONS) },
    ),
  );
  await insertMentions(createDatabase(pool), versions);
}

const entryOf = (role: string): string => `workers/${role}.ts`;

async function startWorker(file: string, env: NodeJS.ProcessEnv, closing: Closing): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [file], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  closing.add(async () => {
    if (worker.exitCode !== null || worker.signalCode !== null) return;
    const exited = once(worker, "exit");
    worker.kill("SIGKILL");
    await exited;
  });
  for await (const text of createInterface({ input: worker.stderr })) {
    if (text.includes("the worker is running")) {
      worker.stderr.resume();
      return worker;
    }
    if (text.includes("the worker ended")) throw new Error(text);
  }
  throw new Error(`${file} ended before it ran`);
}

/** Resolves when a poll waits for its second page; that call is never answered. */
function standStill(source: SourceWatch): Promise<void> {
  return new Promise((resolve) => {
    const hold = (): Promise<never> => {
      resolve();
      return new Promise(() => {});
    };
    source.holds.push({ on: /orderBy=added.*cursor=/, hold });
  });
}

async function facts({ query }: World) {
  const [row] = await query<Record<string, number>>(
    `select (select count(*)::int from earshot.mentions) as stored,
      (select count(distinct resource_id)::int from earshot.mentions) as distinct,
      (select coalesce(sum(n), 0)::int from earshot.counts) as counted,
      (select count(*)::int from earshot.alerts) as alerts,
      (select count(*)::int from earshot.notifications where state = 'sent') as sent,
      (select count(*)::int from earshot.notifications where state <> 'sent') as unsent`,
  );
  return row ?? {};
}
