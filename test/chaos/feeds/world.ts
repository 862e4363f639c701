import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool } from "pg";
import { type Closing, createClosing } from "../../../src/lib/closing.ts";
import type { BackendOptions } from "../../../src/monitor/queue/backend.ts";
import { openPool } from "../../../src/monitor/store/database.ts";
import { type FakeSlack, startFakeSlack } from "../../fakes/slack.ts";
import { type FakeSmtp, startFakeSmtp } from "../../fakes/smtp.ts";
import { startRedis } from "../../redis.ts";
import type { QueueKind } from "../plan-kills.ts";
import { startServer } from "../world.ts";
import { QUERIES } from "./items.ts";
import { type Sources, startSources } from "./servers.ts";

export interface FeedWorld {
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly queue: BackendOptions;
  readonly slack: FakeSlack;
  readonly smtp: FakeSmtp;
  readonly sources: Sources;
  /** Where the consoles of the workers listen. */
  readonly ports: readonly number[];
  readonly env: NodeJS.ProcessEnv;
  readonly closing: Closing;
}

const TOKEN = "token-of-the-sender";
const WORKERS = 2;

const RULES = {
  everybody: `
description: Somebody speaks of a kettle.
severity: critical
when: { keyword: kettle }
groupBy: author
over: { after: 30d }
`,
  "count-all":
    "description: Counted, and never met.\nseverity: info\nvolume: { atLeast: 9000000, within: 1h }\n",
};

/** The engines, the sources, a Slack and a mail server, and the configuration that names them. */
export async function openFeedWorld(kind: QueueKind, seed: number): Promise<FeedWorld> {
  const closing = createClosing();
  try {
    const folder = await mkdtemp(join(tmpdir(), "earshot-chaos-"));
    await chmod(folder, 0o755);
    closing.add(() => rm(folder, { recursive: true, force: true }));
    const { url: databaseUrl } = await startServer(closing, join(folder, "facts"), {});
    const pool = openPool({ url: databaseUrl, connections: 3, onError: () => {} });
    closing.add(() => pool.end());
    const redis = kind === "redis" ? await startRedis() : null;
    if (kind === "redis" && redis === null) throw new Error("there is no redis-server on the PATH");
    if (redis !== null) closing.add(redis.stop);
    const slack = await startFakeSlack();
    closing.add(slack.close);
    const smtp = await startFakeSmtp({ parsesLater: true });
    closing.add(smtp.close);
    const ports = await Promise.all(Array.from({ length: WORKERS }, freePort));
    const consoles = ports.map((port) => `http://127.0.0.1:${port}`);
    const sources = await startSources({ seed, consoles, token: TOKEN }, closing);
    await writeConfiguration(folder, { slack, smtp, sources });
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis?.url ?? "",
      EARSHOT_CONFIG: join(folder, "earshot.yaml"),
      EARSHOT_HOME: folder,
      LOG_LEVEL: "info",
    };
    const queue: BackendOptions =
      redis === null
        ? { kind: "postgres", url: databaseUrl, schema: "earshot_queue" }
        : { kind: "redis", url: redis.url, prefix: "earshot" };
    return { databaseUrl, pool, queue, slack, smtp, sources, ports, env, closing };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function writeConfiguration(
  folder: string,
  { slack, smtp, sources }: Pick<FeedWorld, "slack" | "smtp" | "sources">,
): Promise<void> {
  const near = { allowPrivateAddress: true };
  const config = {
    listen: {
      contact: "chaos@acme.example",
      // Of a proxy in front of both consoles: the hub is in its place.
      callback: "http://earshot.example",
      queries: Object.entries(QUERIES).map(([name, text]) => ({ name, text })),
      feeds: [
        { kind: "rss", urls: [sources.rssUrl, sources.pushed.url], every: "1m", ...near },
        { kind: "hacker-news", baseUrl: sources.hackerNewsUrl, ...near },
        { kind: "bluesky", hosts: [sources.jetstreamUrl], ...near },
        { kind: "push", token: TOKEN },
      ],
      pollEvery: "500ms",
    },
    receivers: [
      {
        ...{ name: "comms", kind: "slack", channel: "#comms", token: slack.token, apiUrl: slack.apiUrl },
        ...{ postEvery: "0s", editEvery: "1s", throttle: "none" },
      },
      {
        ...{ name: "team", kind: "email", to: "team@acme.example", from: "earshot@acme.example" },
        ...{ smtp: { host: smtp.host, port: smtp.port }, throttle: "none" },
      },
    ],
    routes: [{ receivers: ["comms", "team"], repeatEvery: "never", sendResolved: false }],
    templates: join(folder, "templates"),
  };
  await cp(join(import.meta.dirname, "..", "..", "..", "templates"), config.templates, { recursive: true });
  // JSON is YAML.
  await writeFile(join(folder, "earshot.yaml"), JSON.stringify(config));
  await mkdir(join(folder, "rules"));
  for (const [name, text] of Object.entries(RULES))
    await writeFile(join(folder, "rules", `${name}.yaml`), text);
}
