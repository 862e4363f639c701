import { sql } from "kysely";
import { pino } from "pino";
import { afterAll } from "vitest";
import type { FeedRunParts } from "../../src/feeds/run/feed-work.ts";
import { createFetchFeed, type FetchLimits } from "../../src/feeds/run/fetch-feed.ts";
import type { FeedConfig } from "../../src/feeds/run/listen-config.ts";
import { planFeeds } from "../../src/feeds/run/plan-feeds.ts";
import { createFeedRun } from "../../src/feeds/run/run-feeds.ts";
import { runStream, type StreamRunParts } from "../../src/feeds/run/run-stream.ts";
import { configureFeeds } from "../../src/feeds/store/feeds.ts";
import { migrateFeeds } from "../../src/feeds/store/migrate-feeds.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { DAY } from "../../src/lib/instant.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import type { ReceiveResult } from "../../src/listening-api/arrive/receive-items.ts";
import { createDatabase, type Database } from "../../src/listening-api/store/database.ts";
import { RECEIVED_TYPE } from "../../src/listening-api/store/received-items.ts";
import { openPool } from "../../src/monitor/store/database.ts";
import { createTestDatabase } from "../postgres.ts";
import { noEnricher } from "./no-enricher.ts";
import { reader } from "./reader.ts";

export { feedsOf } from "./feed-config.ts";

interface ShownMention {
  readonly query: string;
  readonly title: string | null;
  readonly text: string | null;
  readonly url: string | null;
  readonly version: number;
  readonly record: Record<string, unknown>;
}

export interface Feeding {
  readonly db: Database;
  /** Of the database. */
  readonly url: string;
  readonly projectId: number;
  /** What the local API shows now, in the order of title and text; of the hidden query with `hidden`. */
  mentions(which?: { hidden: boolean }): Promise<ShownMention[]>;
  /** Another worker on the same tables. */
  worker(more?: Partial<FeedRunParts>): ReturnType<typeof createFeedRun>;
  /** A worker that reads the stream, in a hurry. */
  listen(more?: Partial<StreamRunParts>): Listener;
  /** Fetches everything that is due, with one worker; everything becomes due first. */
  fetchAll(): Promise<void>;
  makeDue(): Promise<void>;
  feeds(): Promise<{ name: string; problem: string | null; failures: number; state: object }[]>;
}

export interface Listener {
  /** Frames that were stored, and how they were stored. */
  readonly batches: readonly (ReceiveResult & { readonly frames: number })[];
  stop(): Promise<void>;
}

/** Local tables with queries, and feeds that are fetched for real. */
export async function startFeeding(options: {
  readonly feeds: readonly FeedConfig[];
  readonly queries: Readonly<Record<string, string>>;
  readonly limits?: FetchLimits;
}): Promise<Feeding> {
  const { url, drop } = await createTestDatabase();
  const pool = openPool({ url, connections: 8, onError: () => {} });
  const stopping = new AbortController();
  const started: (() => Promise<void>)[] = [];
  const fetcher = createFetchFeed({
    userAgent: "Earshot/test (contact: test@earshot.example)",
    clock: systemClock,
    timeoutMs: 5_000,
    ...options.limits,
  });
  afterAll(async () => {
    stopping.abort();
    await Promise.all(started.map((stop) => stop()));
    await fetcher.close();
    await pool.end();
    await drop();
  });
  await migrateFeeds(pool);
  const queries = Object.entries(options.queries).map(([name, text]) => ({ name, text }));
  const { projectId } = await seedAccount(pool, {
    client: { name: "Listening" },
    user: { username: "monitor@listening.local", password: "long enough" },
    project: { name: "Listening" },
    queries,
    at: systemClock.now() - DAY,
  });
  const db = createDatabase(pool);
  const planned = planFeeds({
    feeds: options.feeds,
    queries: queries.map((query) => ({ ...query, languages: [] })),
  });
  // The server of a test may be asked at any pace.
  const feeds = planned.map((feed) => ({
    ...feed,
    definition: { ...feed.definition, pace: { everyMs: 0, atOnce: feed.definition.pace.atOnce } },
  }));
  await configureFeeds(db, projectId, feeds);
  const worker: Feeding["worker"] = (more = {}) =>
    createFeedRun({
      ...{
        db,
        feeds,
        fetch: fetcher.fetch,
        reader,
        enricher: async () => noEnricher,
        keepMs: 90 * DAY,
        clock: systemClock,
      },
      ...{ project: { id: projectId, timezone: "Etc/UTC" }, log: pino({ level: "silent" }) },
      signal: stopping.signal,
      ...more,
    });
  const one = worker();
  const stream = feeds.find(({ definition }) => definition.stream !== undefined);
  const listen: Feeding["listen"] = (more = {}) => {
    if (stream === undefined) throw new Error("no feed of this test is a stream");
    const stop = new AbortController();
    const batches: (ReceiveResult & { frames: number })[] = [];
    const run = runStream({
      ...{ db, feed: stream, enricher: async () => noEnricher, keepMs: 90 * DAY, clock: systemClock },
      ...{ project: { id: projectId, timezone: "Etc/UTC" }, log: pino({ level: "silent" }) },
      ...{ userAgent: "Earshot/test", lookEveryMs: 20, reconnectMs: 10, random: () => 0.5 },
      ...{ onBatch: (batch) => batches.push(batch), signal: AbortSignal.any([stopping.signal, stop.signal]) },
      ...more,
      limits: { batchMs: 20, silentMs: 200, handshakeMs: 300, ...more.limits },
    });
    const stopped = async () => {
      stop.abort();
      await run;
    };
    started.push(stopped);
    return { batches, stop: stopped };
  };
  const feeding: Feeding = {
    db,
    url,
    projectId,
    worker,
    listen,
    async makeDue() {
      await sql`update feeds.feed set next_at = now() where next_at is not null`.execute(db);
      await sql`delete from feeds.host`.execute(db);
    },
    async fetchAll() {
      await feeding.makeDue();
      while ((await one.fetchNext()) !== null) {}
      while (await one.recheckNext()) {}
    },
    async mentions({ hidden } = { hidden: false }) {
      const { rows } = await sql<ShownMention & { fields: string }>`
        select q.name as query, m.title, m.full_text as text, m.url, m.version,
          filled_fields || (select empty_fields from local_api.record_shape where id = shape_id) as fields
        from local_api.mention m join local_api.query q on q.id = m.query_id
        where (q.type = ${RECEIVED_TYPE}) = ${hidden} and superseded_at = 'infinity' and visible_at <= ${new Date(systemClock.now())}
        order by q.name, m.title, m.full_text, m.url`.execute(db);
      return rows.map(({ fields, ...row }) => ({ ...row, record: JSON.parse(fields) }));
    },
    async feeds() {
      const { rows } = await sql<{ name: string; problem: string | null; failures: number; state: object }>`
        select name, problem, failures, state from feeds.feed order by name`.execute(db);
      return rows;
    },
  };
  return feeding;
}
