import { sql } from "kysely";
import type pg from "pg";
import { pino } from "pino";
import { createFetchFeed } from "../../src/feeds/run/fetch-feed.ts";
import { type PlannedFeed, planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { createFeedRun } from "../../src/feeds/run/run-feeds.ts";
import { configureFeeds } from "../../src/feeds/store/feeds.ts";
import { migrateFeeds } from "../../src/feeds/store/migrate-feeds.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { DAY } from "../../src/lib/instant.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import type { QueryCache } from "../../src/listening-api/assign/assign-queries.ts";
import { createDatabase, type Database } from "../../src/listening-api/store/database.ts";
import { findProjectById, type StoredProject } from "../../src/listening-api/store/projects.ts";
import {
  type Database as MonitorDatabase,
  openDatabase,
  openPool,
} from "../../src/monitor/store/database.ts";
import { createStores, type Stores } from "../../src/monitor/store/stores.ts";
import { BEGINNING, type Sandbox } from "../crash-points/sandbox.ts";
import { type Stage, USER } from "../crash-points/stage.ts";
import { startFeedServer } from "../fakes/feed-server.ts";
import { feedsOf } from "../feeds/feed-config.ts";
import { noEnricher } from "../feeds/no-enricher.ts";
import { reader } from "../feeds/reader.ts";
import { storyTime } from "../flows/story-time.ts";
import type { Connections } from "./connections.ts";
import type { FeedScene } from "./feed-scenes.ts";
import { openGround } from "./ground.ts";
import { lend, lendDatabase } from "./lend.ts";
import type { World } from "./play.ts";

/** One process that stores what public feeds bring, on its own connections. */
export interface FeedProcess {
  readonly db: Database;
  readonly stores: Stores;
  readonly run: ReturnType<typeof createFeedRun>;
  readonly project: StoredProject;
  readonly clock: Clock;
  readonly cache: QueryCache;
  feed(kind: string): PlannedFeed;
  /** Which of the documents of the site it is shown. */
  look(document: string): void;
  close(): Promise<void>;
}

/** Plays what comes before the pairs of a scene of feeds, and stores where they begin. */
export async function openFeedWorld(
  stage: Stage,
  sandbox: Sandbox,
  scene: FeedScene,
): Promise<World<FeedProcess>> {
  const closing = createClosing();
  const site = await startFeedServer();
  closing.add(site.close);
  for (const [path, page] of Object.entries(scene.site?.(site.url) ?? {})) site.pages.set(path, page);
  const queries = [{ name: "Acme", text: "acme", languages: [] }];
  const feeds = planFeeds({
    feeds: feedsOf(
      { kind: "rss", urls: [`${site.url}/feed`] },
      { kind: "push", name: "script", token: "token-of-a-script" },
      { kind: "bluesky", hosts: [site.url.replace("http:", "ws:")] },
    ),
    queries,
  }).map((feed) => ({
    ...feed,
    definition: { ...feed.definition, pace: { everyMs: 0, atOnce: feed.definition.pace.atOnce } },
  }));
  const stopping = new AbortController();
  closing.add(async () => stopping.abort());

  await sandbox.reset(BEGINNING);
  sandbox.clock.set(storyTime("09:00"));
  const pool = openPool({ url: stage.urlOf(sandbox.database), connections: 2, onError: () => {} });
  await migrateFeeds(pool);
  const { projectId } = await seedAccount(pool, {
    ...{ client: { name: "Listening" }, user: USER, project: { name: "Listening" }, queries },
    at: sandbox.clock.now() - DAY,
  });
  await configureFeeds(createDatabase(pool), projectId, feeds);
  await pool.end();

  function connect(url: string): Connections<FeedProcess> {
    const pool = openPool({ url, connections: 4, onError: () => {} });
    const monitor = openDatabase({ url, connections: 2, onError: () => {} });
    return {
      open: () => open(pool, monitor),
      close: async () => {
        await pool.end();
        await monitor.pool.end();
      },
    };
  }

  async function open(pool: pg.Pool, monitor: MonitorDatabase): Promise<FeedProcess> {
    const own = createClosing();
    const lent = { pool: lend(pool, own), monitor: lendDatabase(monitor, own) };
    const fetcher = createFetchFeed({ userAgent: "Earshot/test", clock: sandbox.clock, timeoutMs: 5_000 });
    own.add(fetcher.close);
    const [db, clock] = [createDatabase(lent.pool), sandbox.clock];
    const project = await findProjectById(db, projectId);
    let document = "/feed";
    const run = createFeedRun({
      ...{ db, feeds, reader, enricher: async () => noEnricher, keepMs: 90 * DAY, clock },
      fetch: (request, how) =>
        fetcher.fetch({ ...request, url: request.url.replace(/\/feed$/, document) }, how),
      ...{ project: { id: projectId, timezone: project.timezone }, log: pino({ level: "silent" }) },
      ...{ signal: stopping.signal, random: () => 0.5 },
    });
    return {
      ...{ db, stores: createStores(lent.monitor.db), run, project, clock, cache: new Map() },
      feed: (kind) => {
        const found = feeds.find((feed) => feed.kind === kind);
        if (found === undefined) throw new Error(`there is no feed of the kind ${kind}`);
        return found;
      },
      look: (path) => {
        document = path;
      },
      close: () => own.close(),
    };
  }

  const connections = connect(stage.urlOf(sandbox.database));
  const before = await connections.open();
  for (const task of scene.first ?? []) await (await task.prepare(before, before))(before);
  await before.close();
  await connections.close();
  const ground = await openGround({ stage, sandbox, scene: scene.name });
  closing.add(ground.close);
  return {
    reset: async (to) => {
      const done = await ground.reset(to);
      sandbox.clock.set(storyTime("10:00"));
      return done;
    },
    connect,
    // Nothing is due but what was broken off.
    settle: async ({ run }) => {
      while ((await run.fetchNext()) !== null);
      return 0;
    },
    read: ({ pool }) => readFeedFacts(createDatabase(pool)),
    close: closing.close,
  };
}

/** Logins and secrets, the work of the moment, and shapes of records, which have ids of their own. */
const NO_FACTS =
  /^(feeds\.(migration|host)|local_api\.(migration|token$|api_call|login|setting$|change$|record_shape|stream_hour|import|mention_))/;
/** Moments of the wall's clock, numbers that a sequence gave, counts of writes, and hashes with a secret. */
const OF_THE_MOMENT =
  /^(id|shape_id|asked|lease|lease_until|revision|readings?|(added|updated|visible|fetched|next|tried|received|item|edited|check|written|promised|created|last_modified|due)(_at)?)$/;
/** Whether there is such a moment, or something sealed, is a fact; which one is not. */
const WHETHER = /^(deleted_at|gone_since|may_return_until|sealed)$/;

/** Every row of feeds and of the local Listening API, a line each. */
async function readFeedFacts(db: Database): Promise<readonly string[]> {
  const tables = await sql<{ name: string }>`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('feeds', 'local_api') and c.relkind in ('r', 'p') and not c.relispartition order by 1`.execute(
    db,
  );
  const lines: string[] = [];
  for (const { name } of tables.rows.filter((table) => !NO_FACTS.test(table.name))) {
    const { rows } = await sql<{ row: Record<string, unknown> }>`
      select to_jsonb(t) as row from ${sql.table(name)} t`.execute(db);
    for (const { row } of rows) lines.push(`${name}: ${JSON.stringify(bare(row))}`);
  }
  return lines.sort();
}

function bare(row: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([key]) => !OF_THE_MOMENT.test(key))
      .map(([key, value]) => {
        if (WHETHER.test(key)) return [key, value !== null];
        if (key === "superseded_at") return [key, value === "infinity"];
        if (key === "filled_fields")
          return [key, String(value).replaceAll(/"(added|updated|insertTime)":"[^"]*"/g, "")];
        if (key === "state")
          return [key, { ...(value as object), wholeAt: undefined, validators: undefined }];
        return [key, value];
      }),
  );
}
