import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inventLocalSecrets, LOCAL_ACCOUNT } from "../../src/console/inbox/local-account.ts";
import { type LocalParts, startLocalParts } from "../../src/lab/local/local-parts.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { SECOND, toIso } from "../../src/lib/instant.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { importMentions } from "../../src/listening-api/import/import-mentions.ts";
import { openDatabase, openPool } from "../../src/monitor/store/database.ts";
import { type Bundle, bundleEntries } from "../bundle.ts";
import { createTestDatabase } from "../postgres.ts";
import { until as waitUntil } from "../until.ts";

const BRANDS = ["Acme", "Globex", "Initech", "Umbrella"];
const MENTIONS = 600;
/** Every tenth mention is by an author of its own and alerts. */
const ALERTING = MENTIONS / 10;
/** How long the stream lasts while workers are killed. */
const STREAM_MS = 15 * SECOND;
const KILLS = 7;
const WORKER_ROLES = ["poll", "poll", "tick", "deliver", "deliver", "sweep"];

const closing = createClosing();
let folder: string;
let pool: ReturnType<typeof openPool>;
let projectId: number;
let url: string;
let client: pg.Client;
let bundle: Bundle;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "earshot-killed-"));
  closing.add(() => rm(folder, { recursive: true, force: true }));
  bundle = await bundleEntries([...new Set(WORKER_ROLES)].map(entryOf));
  closing.add(bundle.remove);
  const database = await createTestDatabase();
  closing.add(database.drop);
  url = database.url;
  client = new pg.Client({ connectionString: url });
  await client.connect();
  closing.add(() => client.end());
  await writeConfig(await startWorld());
});
afterAll(() => closing.close());

test("workers are killed again and again while mentions come, and nothing is lost or there twice", async () => {
  const workers = WORKER_ROLES.map(startWorker);
  closing.add(() => Promise.all(workers.map(killWorker)));
  await until("the queries are watched", async () => (await count("queries where active")) === BRANDS.length);
  await beginStream();
  await until("the first mentions are stored", async () => (await count("mentions")) > 0);
  for (let kill = 0; kill < KILLS; kill++) {
    const slot = (kill * 5 + 1) % workers.length;
    await killWorker(workers[slot]);
    workers[slot] = startWorker(WORKER_ROLES[slot] ?? "poll");
    await delay(STREAM_MS / (KILLS * 2));
  }
  await until("every mention is stored", async () => (await count("mentions")) === MENTIONS);
  await until("every pending notification is sent", async () => {
    return (await count("notifications where kind = 'fired' and state = 'sent'")) === ALERTING;
  });

  expect(await value("select count(distinct (query_id, resource_id)) from earshot.mentions")).toBe(MENTIONS);
  expect(await value("select sum(n) from earshot.counts")).toBe(MENTIONS);
  expect(await count("alerts")).toBe(ALERTING);
  expect(await count("matches")).toBe(ALERTING);
  const posted =
    "select count(distinct message->'metadata'->'payload'->>'notification_id') from earshot.inbox";
  expect(await value(posted)).toBe(ALERTING);
  expect(await count("inbox")).toBe(ALERTING);
}, 120_000);

/** The Listening API and a Slack. */
async function startWorld(): Promise<LocalParts> {
  pool = openPool({ url, onError: () => {} });
  closing.add(() => pool.end());
  const inboxDatabase = openDatabase({ url, onError: () => {} });
  closing.add(inboxDatabase.close);
  const secrets = inventLocalSecrets();
  const seeded = await seedAccount(pool, {
    client: { name: "Client" },
    user: { ...LOCAL_ACCOUNT, password: secrets.password },
    project: { name: "Brands" },
    queries: BRANDS.map((name) => ({ name })),
    at: 0,
  });
  projectId = seeded.projectId;
  const log = pino({ level: "silent" });
  const parts = await startLocalParts({ pool, db: inboxDatabase.db, clock: systemClock, log, secrets });
  closing.add(parts.close);
  return parts;
}

async function beginStream(): Promise<void> {
  const path = join(folder, "stream.jsonl");
  await writeFile(path, streamFrom(systemClock.now() + 2 * SECOND));
  await importMentions({ pool, path, projectId });
}

function streamFrom(start: number): string {
  return Array.from({ length: MENTIONS }, (_, i) => {
    const date = toIso(start + Math.floor((i * STREAM_MS) / MENTIONS)).replace("Z", "+0000");
    const isAlerting = i % 10 === 0;
    const text = isAlerting ? `They ought to recall number ${i}` : `Nothing much about number ${i}`;
    return JSON.stringify({
      id: `m${i}`,
      brand: BRANDS[i % 4],
      author: `author${i}`,
      text,
      date,
      sentiment: "neutral",
    });
  }).join("\n");
}

const PACE = { pollEvery: "1s", updatesEvery: "10s", history: "1h" };

async function writeConfig(parts: LocalParts): Promise<void> {
  await mkdir(join(folder, "rules"));
  await writeFile(
    join(folder, "rules", "recall-words.yaml"),
    "description: Somebody mentions a recall.\nseverity: warning\nwhen: { keyword: recall }\ngroupBy: author\n",
  );
  await writeFile(
    join(folder, "rules", "far-too-many.yaml"),
    "description: Counted, and never met.\nseverity: info\nvolume: { atLeast: 100000, within: 1h }\n",
  );
  const config = {
    source: { baseUrl: parts.apiUrl, ...LOCAL_ACCOUNT, ...PACE, password: parts.secrets.password },
    receivers: [
      {
        ...{
          name: "comms",
          kind: "slack",
          throttle: "none",
          channel: "#alerts",
          token: parts.secrets.slackToken,
          apiUrl: parts.slackApiUrl,
        },
        postEvery: "0s",
      },
    ],
    routes: [{ receivers: ["comms"] }],
    templates: new URL("../../templates", import.meta.url).pathname,
  };
  // JSON is YAML.
  await writeFile(join(folder, "earshot.yaml"), JSON.stringify(config));
}

function startWorker(role: string): ChildProcess {
  return spawn(process.execPath, [bundle.file(entryOf(role))], {
    env: {
      ...process.env,
      DATABASE_URL: url,
      EARSHOT_CONFIG: join(folder, "earshot.yaml"),
      LOG_LEVEL: "fatal",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

const entryOf = (role: string): string => `workers/${role}.ts`;

async function killWorker(worker: ChildProcess | undefined): Promise<void> {
  if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  const gone = once(worker, "exit");
  worker.kill("SIGKILL");
  await gone;
}

const until = (what: string, isSo: () => Promise<boolean>) =>
  waitUntil(what, isSo, { withinMs: 80_000, everyMs: 200 });

function count(from: string): Promise<number> {
  return value(`select count(*) from earshot.${from}`);
}

async function value(sql: string): Promise<number> {
  const { rows } = await client.query<Record<string, string>>(sql);
  return Number(Object.values(rows[0] ?? {})[0]);
}
