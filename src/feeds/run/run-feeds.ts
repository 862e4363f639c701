import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import {
  deleteMentions,
  dropOldSeals,
  forgetReceivedBefore,
  forgetUnseenDeletes,
  listQueries,
  type ReceiveResult,
  receivedQuery,
} from "#listening-api";
import { describeError } from "../../lib/errors.ts";
import { HOUR, MINUTE, SECOND } from "../../lib/instant.ts";
import type { FeedRead } from "../common/define-feed.ts";
import { countPushed } from "../store/feeds.ts";
import type { FeedRunParts, FeedWork } from "./feed-work.ts";
import { fetchNext } from "./fetch-next.ts";
import { createPageStatus } from "./page-status.ts";
import type { PlannedFeed } from "./plan-feeds.ts";
import { recheckFeed } from "./recheck-feed.ts";
import { createItemStore } from "./store-items.ts";

/** Renewed before every batch of requests, and much longer than one takes. */
const LEASE_MS = 3 * MINUTE;
/** Fetches at the same time in one process. */
const AT_ONCE = 4;
const LOOK_EVERY_MS = SECOND;
/** The others join the first one when there is much to fetch. */
const JOIN_EVERY_MS = 5 * SECOND;
/** Feeds whose pages are asked for at the same time: hostile sites must not keep fetches waiting. */
const RECHECKS_AT_ONCE = 2;
const HUBS_EVERY_MS = 5 * SECOND;

/**
 * Fetches feeds that are due. Any number of processes may do it on the same tables: a lease in the database gives each
 * feed to one of them, and the items of a fetch are stored in one transaction with its cursor, which ends the lease.
 */
export function createFeedRun(parts: FeedRunParts) {
  const items = createItemStore(parts);
  const work: FeedWork = { random: Math.random, leaseMs: LEASE_MS, ...parts, items };
  const pageStatus = createPageStatus(parts.fetch, parts.reader);
  /** Keys of feeds that were fetched since their pages were asked for. */
  const toRecheck = new Set<string>();
  // A dozen requests wait for it at a time.
  setMaxListeners(0, parts.signal);
  const byKey = new Map(parts.feeds.filter(isFetched).map((feed) => [feed.key, feed]));

  const run = {
    /** Fetches one due feed. Null if none is due. */
    async fetchNext(): ReturnType<typeof fetchNext> {
      const fetched = await fetchNext(work, byKey);
      if (fetched === null || fetched.received === null) return fetched;
      const { key, definition } = fetched.feed;
      if (definition.recheck?.asksPages === true) toRecheck.add(key);
      return fetched;
    },
    /** Asks for pages of one feed that was fetched. False if there is none. */
    async recheckNext(): Promise<boolean> {
      const [key = ""] = toRecheck;
      toRecheck.delete(key);
      const feed = byKey.get(key);
      if (feed === undefined) return false;
      await recheckFeed(work, feed, pageStatus);
      return true;
    },
    forgetOld: (): Promise<void> => forgetOld(work),
    /** Stores what was pushed. */
    receivePushed: (feed: PlannedFeed, read: Pick<FeedRead, "items" | "deletes">): Promise<ReceiveResult> =>
      receivePushed(work, feed, read),
  };
  return {
    ...run,
    /** Fetches what becomes due until the signal comes. `subscribe`: asks one hub that is due. */
    async run(subscribe: (() => Promise<boolean>) | null = null): Promise<void> {
      let isFetching = false;
      const fetch: Loop = {
        work: async () => {
          isFetching = true;
          const fetched = await run.fetchNext().finally(() => {
            isFetching = false;
          });
          return fetched !== null;
        },
        ...{ pauseMs: LOOK_EVERY_MS, level: "error", failed: "feeds cannot be fetched; trying again" },
      };
      // While the first one finds nothing, nothing is left for the others.
      const join: Loop = {
        ...fetch,
        work: async () => isFetching && (await run.fetchNext()) !== null,
        pauseMs: JOIN_EVERY_MS,
      };
      const recheck: Loop = {
        work: run.recheckNext,
        ...{ pauseMs: LOOK_EVERY_MS, failed: "stored items could not be checked for deletes" },
      };
      const fetches = [
        ...Array.from({ length: AT_ONCE }, (_, nth) => (nth === 0 ? fetch : join)),
        ...Array.from({ length: RECHECKS_AT_ONCE }, () => recheck),
      ];
      const loops: Loop[] = [
        ...(byKey.size === 0 ? [] : fetches),
        {
          work: () => run.forgetOld().then(() => false),
          pauseMs: HOUR,
          failed: "old items could not be deleted",
        },
      ];
      if (subscribe !== null)
        loops.push({ work: subscribe, pauseMs: HUBS_EVERY_MS, failed: "hubs of feeds cannot be asked" });
      await Promise.all(loops.map((loop) => repeat(loop, parts)));
    },
  };
}

/** Streams and what is pushed come by themselves. */
function isFetched({ definition, part }: PlannedFeed): boolean {
  return definition.stream === undefined && part.url !== null;
}

interface Loop {
  /** False: there was nothing to do. */
  readonly work: () => Promise<boolean>;
  readonly pauseMs: number;
  /** How it is logged that it has failed. Level: "warn" if not given. */
  readonly failed: string;
  readonly level?: "error" | "warn";
}

/** Works until the signal comes. After a failure, and where there was nothing to do, it waits. */
async function repeat(
  { work, pauseMs, failed, level = "warn" }: Loop,
  { signal, log }: Pick<FeedRunParts, "signal" | "log">,
): Promise<void> {
  while (!signal.aborted) {
    const found = await work().catch((error: unknown) => {
      if (!signal.aborted) log[level]({ error: describeError(error) }, failed);
      return false;
    });
    if (!found) await delay(pauseMs, undefined, { signal, ref: pauseMs < HOUR }).catch(() => {});
  }
}

async function receivePushed(
  { project, items }: FeedWork,
  feed: PlannedFeed,
  read: Pick<FeedRead, "items" | "deletes">,
): Promise<ReceiveResult> {
  const { arrived } = await items.arrivedOf(feed, read.items);
  const most = Number.POSITIVE_INFINITY;
  return items.storeMost(feed, arrived, read.deletes, most, async (transaction, stored) => {
    if (!stored.isLast) return;
    const counted = { items: stored.added, matched: stored.matched, edited: stored.items - stored.added };
    await countPushed(transaction, project.id, feed.key, counted);
  });
}

/** Deletes what is older than what is kept: of this project alone, as others may share the tables. */
async function forgetOld({ db, project, clock, keepMs }: FeedRunParts): Promise<void> {
  const before = clock.now() - keepMs;
  const receivedQueryId = await receivedQuery(db, project.id);
  const queryIds = (await listQueries(db, project.id)).map(({ id }) => id);
  await deleteMentions(db, {
    queryIds: receivedQueryId === null ? queryIds : [receivedQueryId, ...queryIds],
    to: before,
  });
  await forgetReceivedBefore(db, project.id, before);
  await forgetUnseenDeletes(db, project.id);
  await dropOldSeals(db, project.id);
}
