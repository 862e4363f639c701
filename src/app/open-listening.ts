import { isDeepStrictEqual } from "node:util";
import { type Config, LISTENING, LISTENING_PORT } from "#admin";
import {
  type Enricher,
  type FeedView,
  type HubEndpoint,
  loadEnrich,
  loadEnrichment,
  loadFeedView,
  loadStartListening,
  type PushEndpoint,
  type ReadJudgedMentions,
} from "#feeds";
import {
  createStores,
  type EarshotOptions,
  FEEDS_PREFIX,
  openDatabase,
  openPool,
  READER_LIMITS,
  type Source,
} from "#monitor";
import type { Clock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import { describeError, UserError } from "../lib/errors.ts";
import type { Logger } from "../lib/log.ts";

export interface Listening {
  /**
   * The configuration with the address and the password of our own Listening API, or as it is without `listen`: what the
   * first fetch brings alerts, what a new query finds in the past does not. Throws a UserError if `listen` is not what it
   * was at the start.
   */
  readonly configOf: (config: Config) => Config;
  readonly push: PushEndpoint | null;
  readonly hubs: HubEndpoint | null;
  /** The feeds for the console; null without `listen`. */
  readonly view: FeedView | null;
  /** How programs on this machine reach the API; null without `listen`. */
  readonly local: {
    readonly url: string;
    readonly login: { readonly username: string; readonly password: string };
  } | null;
  /** For `startEarshot`. */
  readonly forMonitor: Pick<EarshotOptions, "feedHealth" | "followArrivals" | "revisionsOf" | "corrections">;
}

/** With `listen`, opens our own Listening API and fetches the feeds. */
export async function withListening(
  config: Config,
  parts: {
    readonly databaseUrl: string;
    /** Whether this process fetches feeds. */
    readonly fetches: boolean;
    readonly clock: Clock;
    readonly log: Logger;
    /** The port that the API tries first. Default: the usual one. */
    readonly port?: number;
    /** Where another process serves the API: then this one does not. */
    readonly url?: string | undefined;
  },
  closing: Closing,
): Promise<Listening> {
  const { listen } = config;
  const unchanged = (now: Config): Config => {
    if (isDeepStrictEqual(now.listen, listen)) return now;
    throw new UserError(
      "`listen` was changed, which needs a restart of Earshot: a reload keeps the open feeds",
    );
  };
  if (listen === null)
    return { configOf: unchanged, push: null, hubs: null, view: null, local: null, forMonitor: {} };
  const { databaseUrl, fetches, clock, log, port = LISTENING_PORT } = parts;
  // Loaded here: a process that only polls an account needs no server and no readers of feeds.
  const { startListening } = await loadStartListening();
  const { createEnricher } = await loadEnrich();
  const { openFeedView, feedHealth } = await loadFeedView();
  const pool = openPool({
    url: databaseUrl,
    ...(parts.url === undefined ? { connections: 13 } : { connections: 4, limits: READER_LIMITS }),
    onError: (error) => log.warn({ error: describeError(error) }, "a database connection of the feeds broke"),
  });
  closing.add(() => pool.end());
  // Its lists take a second to load: when the first item comes.
  let enricher: Promise<Enricher> | undefined;
  const options = {
    ...{ pool, listen, account: LISTENING, clock, log, fetches, port },
    url: parts.url,
    enricher: () => {
      enricher ??= createEnricher(config.enrich);
      return enricher;
    },
  };
  const { url, password, push, hubs, feeds, queries, watchFrom, ...listening } = await startListening(
    options,
    closing,
  );
  const database = openDatabase({ url: databaseUrl, connections: 1, onError: () => {} });
  closing.add(database.close);
  const { mentions } = createStores(database.db);
  const judged: ReadJudgedMentions = ({ id, name }, which) =>
    mentions.judged({ id: queryIdOf(id), name }, which);
  if (fetches) {
    const { startEnrichment } = await loadEnrichment();
    await startEnrichment({ config: config.enrich, queries, pool, clock, log, judged }, closing);
  }
  if (parts.url === undefined)
    log.info({ url, feeds: feeds.length, fetches }, "the Listening API of the feeds is open");
  const open = (source: Source): Source =>
    source.name === "feeds" ? { ...source, baseUrl: url, password, watchFrom } : source;
  const configOf = (now: Config): Config => {
    const [first, ...others] = unchanged(now).sources;
    return { ...now, sources: [open(first), ...others.map(open)] };
  };
  const local = { url, login: { username: LISTENING.username, password } };
  const view = openFeedView({ ...options, feeds, enrich: config.enrich, judged, ownIdOf });
  const health = async () => {
    const { at, feeds } = await listening.listed();
    return feeds.map((feed) => feedHealth(feed, at));
  };
  const followed: EarshotOptions["followArrivals"] = (onArrivals) =>
    listening.follow(({ added, updated }) =>
      onArrivals({ added: added.map(queryIdOf), updated: updated.map(queryIdOf) }),
    );
  const revisionsOf: EarshotOptions["revisionsOf"] = async (queryIds) => {
    const found = await listening.revisionsOf(queryIds.map((queryId) => ownIdOf(queryId) ?? 0));
    return new Map([...found].map(([id, revision]) => [queryIdOf(id), revision]));
  };
  const forMonitor = { feedHealth: health, followArrivals: followed, revisionsOf, corrections: view };
  return { configOf, push, hubs, view, local, forMonitor };
}

/** The id of a query of the feeds, by its name in the monitor; null: it is the account's. */
function ownIdOf(queryId: string): number | null {
  return queryId.startsWith(FEEDS_PREFIX) ? Number(queryId.slice(FEEDS_PREFIX.length)) : null;
}

/** As the monitor names a query of the feeds. */
function queryIdOf(id: number): string {
  return `${FEEDS_PREFIX}${id}`;
}
