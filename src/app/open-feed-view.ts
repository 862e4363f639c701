import { LISTENING } from "#admin";
import type { FeedView, ShownFeed, ShownTry } from "#console";
import {
  type FeedEnricher,
  feedStatus,
  type ListenConfig,
  type PlannedFeed,
  tryFeed,
  userAgent,
} from "#feeds";
import { createDatabase, type DatabasePool, type FeedRow, findProject, listFeeds } from "#listening-api";
import { type Clock, systemClock } from "../lib/clock.ts";
import { atMost, cached } from "../lib/concurrency.ts";
import { BusyError } from "../lib/errors.ts";
import { MINUTE, SECOND } from "../lib/instant.ts";
import { stableHash } from "../lib/json.ts";

/** How long an answer is shown again, so that readers do not ask a server more often than its feed is fetched. */
const TRY_LIVES_MS = MINUTE;
const TRIES_AT_ONCE = 2;
/** Pages ask every second, and feeds are fetched every minute at most. */
const VERSION_LIVES_MS = 3 * SECOND;
const MOST_ITEMS = 50;

/** The feeds of this process for the console, from the tables that all processes share. */
export function openFeedView(parts: {
  readonly pool: DatabasePool;
  readonly feeds: readonly PlannedFeed[];
  readonly listen: ListenConfig;
  readonly enricher: () => Promise<FeedEnricher>;
  readonly clock: Clock;
}): FeedView {
  const { pool, feeds, listen, enricher, clock } = parts;
  const db = createDatabase(pool);
  const turns = atMost(TRIES_AT_ONCE, 0);
  const tried = new Map<string, { readonly at: number; readonly result: Promise<ShownTry> }>();
  let projectId: number | null = null;
  const read = async () => {
    projectId ??= (await findProject(db, LISTENING)).id;
    return listFeeds(db, projectId);
  };
  const fetchOnce = async (feed: PlannedFeed, signal: AbortSignal): Promise<ShownTry> => {
    const { ofText: enrich } = await enricher();
    const agent = userAgent(listen);
    const result = await tryFeed(feed, { listen, enrich, userAgent: agent, clock, signal });
    return { ...result, items: result.items.slice(0, MOST_ITEMS) };
  };
  return {
    list: async () => {
      const { at, feeds } = await read();
      return { at, feeds: feeds.filter(({ isConfigured }) => isConfigured).map((feed) => shown(feed, at)) };
    },
    version: cached(
      async () => {
        const { feeds } = await read();
        return stableHash(
          feeds.map((feed) => [
            feed.key,
            feed.isFetchedNow,
            feed.triedAt,
            feed.receivedAt,
            feed.itemAt,
            feed.itemsToday,
            feed.matchedToday,
            feed.problem,
          ]),
        );
      },
      VERSION_LIVES_MS,
      systemClock,
    ).ask,
    attempt: async (key, signal) => {
      const feed = feeds.find((one) => one.key === key);
      if (feed === undefined) return null;
      const known = tried.get(key);
      if (known !== undefined && clock.now() - known.at < TRY_LIVES_MS) return known.result;
      const result = turns(() => fetchOnce(feed, signal));
      tried.set(key, { at: clock.now(), result });
      try {
        return await result;
      } catch (error) {
        tried.delete(key);
        if (error instanceof BusyError) return "Busy";
        throw error;
      }
    },
  };
}

function shown(feed: FeedRow, at: number): ShownFeed {
  const { key, name, kind, receivedAt, itemAt, everyMs, nextAt, itemsToday, matchedToday } = feed;
  const { state, why } = feedStatus(feed, at);
  return { key, name, kind, state, why, receivedAt, itemAt, everyMs, nextAt, itemsToday, matchedToday };
}
