import { createHmac } from "node:crypto";
import {
  type Arrivals,
  applyAccount,
  createDatabase,
  createLocalApi,
  type Database,
  type DatabasePool,
  followArrivals,
  listQueries,
  planApply,
  readAccountFile,
  readRevisionsOf,
  seedAccount,
  signingSecret,
} from "#listening-api";
import type { Clock } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import { codeOf, describeError, UserError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { configureFeeds, type FeedRow, listFeeds } from "../store/feeds.ts";
import { migrateFeeds } from "../store/migrate-feeds.ts";
import type { FeedRunParts } from "./feed-work.ts";
import { createFetchFeed, type FetchLimits } from "./fetch-feed.ts";
import type { ListenConfig } from "./listen-config.ts";
import { openReader } from "./open-reader.ts";
import { type PlannedFeed, planFeeds } from "./plan-feeds.ts";
import { createPushEndpoint, type PushEndpoint } from "./push-endpoint.ts";
import { createFeedRun } from "./run-feeds.ts";
import { runStream } from "./run-stream.ts";
import { userAgent } from "./user-agent.ts";
import { createWebSub, type HubEndpoint } from "./web-sub.ts";

/** Names of the account in the local tables. */
interface OwnAccount {
  readonly client: string;
  readonly project: string;
  readonly username: string;
}

interface ListeningOptions {
  /** Belongs to the caller. */
  readonly pool: DatabasePool;
  readonly listen: ListenConfig;
  readonly account: OwnAccount;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether this process fetches feeds; all processes serve the API to themselves. */
  readonly fetches: boolean;
  /** The port that is tried first. */
  readonly port: number;
  /** Where another process serves the API: then this one does not. */
  readonly url?: string | undefined;
  readonly enricher: FeedRunParts["enricher"];
  readonly limits?: FetchLimits;
}

interface Listening {
  /** Where the API answers, on this machine only. */
  readonly url: string;
  readonly password: string;
  readonly push: PushEndpoint;
  /** What hubs of feeds call; null: they cannot reach us, as `listen.callback` is not set. */
  readonly hubs: HubEndpoint | null;
  readonly feeds: readonly PlannedFeed[];
  /** The queries of the configuration, as they are stored. */
  readonly queries: readonly { readonly id: number; readonly about: string | null }[];
  /** Before the first item comes, and after new queries have looked back: from here on, mentions alert. */
  readonly watchFrom: Instant;
  /** Calls `onArrivals` with the queries that mentions have entered, as their ids here. Returns what ends that. */
  readonly follow: (onArrivals: (arrivals: Arrivals) => void) => () => Promise<void>;
  /** How often the mentions of each of these queries were written to, by id. */
  readonly revisionsOf: (queryIds: readonly number[]) => Promise<ReadonlyMap<number, string>>;
  /** All feeds that are configured, whichever process fetches them, and the database's time. */
  readonly listed: () => Promise<{ readonly at: Instant; readonly feeds: readonly FeedRow[] }>;
}

/**
 * Opens the local Listening API with the queries and categories of the configuration, and fetches its feeds. Any number
 * of processes may do so on the same tables. Rejects with a UserError if the configuration does not fit.
 */
export async function startListening(options: ListeningOptions, closing: Closing): Promise<Listening> {
  const { pool, listen, account, clock, log } = options;
  const feeds = planFeeds(listen);
  await migrateFeeds(pool);
  const secret = await signingSecret(pool);
  // The same in every process on these tables, and stored nowhere else.
  const password = createHmac("sha256", secret).update("monitor").digest("base64url");
  const { projectId } = await seedAccount(pool, {
    client: { name: account.client },
    user: { username: account.username, password },
    project: { name: account.project },
    at: clock.now(),
  });
  const db = createDatabase(pool);
  await applyQueries(db, listen, account, clock);
  const url = options.url ?? (await serve());
  const stopping = new AbortController();
  const fetcher = createFetchFeed({ userAgent: userAgent(listen), clock, ...options.limits });
  closing.add(fetcher.close);
  const reader = openReader();
  closing.add(reader.close);
  const running = {
    ...{ db, clock, log, keepMs: listen.keep },
    project: { id: projectId, timezone: "Etc/UTC" },
    enricher: options.enricher,
    signal: stopping.signal,
  };
  const { callback } = listen;
  const run = createFeedRun({
    ...{ ...running, feeds, reader, fetch: fetcher.fetch, hasHubs: callback !== undefined },
  });
  const webSub =
    callback === undefined
      ? null
      : createWebSub({
          ...{ ...running, feeds, reader, projectId, callback },
          ...{ fetch: fetcher.fetch, receive: run.receivePushed },
        });
  const watchFrom = clock.now();
  if (options.fetches) {
    await configureFeeds(db, projectId, feeds);
    const agent = { userAgent: userAgent(listen) };
    const streams = feeds
      .filter(({ definition }) => definition.stream !== undefined)
      .map((feed) => runStream({ ...running, ...agent, feed }));
    const fetching = run.run(webSub?.subscribeNext);
    closing.add(async () => {
      stopping.abort(new Error("Earshot is stopping"));
      await Promise.all([fetching, ...streams]);
    });
  }
  return {
    url,
    password,
    feeds,
    queries: await storedQueries(db, projectId, listen),
    watchFrom,
    follow: (onArrivals) =>
      followArrivals(pool, onArrivals, (error) =>
        log.warn({ error: describeError(error) }, "mentions of the feeds are not announced"),
      ),
    revisionsOf: (queryIds) => readRevisionsOf(db, queryIds),
    listed: async () => {
      const { at, feeds } = await listFeeds(db, projectId);
      return { at, feeds: feeds.filter(({ isConfigured }) => isConfigured) };
    },
    hubs: webSub?.endpoint ?? null,
    push: createPushEndpoint({ feeds, receive: run.receivePushed, log }),
  };

  async function serve(): Promise<string> {
    const api = createLocalApi({ pool, clock, log, signingSecret: secret });
    closing.add(api.close);
    return listenAt(api, options.port);
  }
}

const MOST_TRIES = 5;

/**
 * Queries and categories as they are configured; a new or changed text looks back over what is stored. What is no
 * longer configured stays with its mentions, and is not polled.
 */
async function applyQueries(
  db: Database,
  { queries, categories }: ListenConfig,
  { client, project }: OwnAccount,
  clock: Clock,
): Promise<void> {
  const content = {
    clients: [
      {
        name: client,
        projects: [
          {
            name: project,
            queries: queries.map(({ about: _, ...query }) => query),
            categories: categories.map(({ name, subcategories }) => ({
              name,
              children: subcategories.map((one) => ({
                name: one.name,
                rules: [{ filter: { search: one.text } }],
              })),
            })),
          },
        ],
      },
    ],
  };
  const file = readAccountFile("listen", JSON.stringify(content));
  for (let tries = 1; ; tries++) {
    const shown = await planApply(db, file, { prune: false });
    if (shown.isNothing) return;
    try {
      await applyAccount(db, file, { prune: false, shown, at: clock.now() });
      return;
    } catch (error) {
      // Another process was faster with the same.
      if (!(error instanceof UserError) || tries >= MOST_TRIES) throw error;
    }
  }
}

async function storedQueries(db: Database, projectId: number, { queries }: ListenConfig) {
  const ids = new Map((await listQueries(db, projectId)).map(({ id, name }) => [name, id]));
  return queries.flatMap(({ name, about = null }) => {
    const id = ids.get(name);
    return id === undefined ? [] : [{ id, about }];
  });
}

/** Another process on this machine may have the port. */
async function listenAt(api: ReturnType<typeof createLocalApi>, port: number): Promise<string> {
  const host = "127.0.0.1";
  try {
    return await api.listen({ host, port });
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw error;
    return api.listen({ host, port: 0 });
  }
}
