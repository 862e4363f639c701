import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import {
  claimChecks,
  type Database,
  deleteMentions,
  dropOldSeals,
  dueChecks,
  dueNow,
  forgetReceivedBefore,
  forgetUnseenDeletes,
  listQueries,
  NOTHING,
  type ReceiveResult,
  receivedQuery,
  scheduleChecks,
  sumOf,
} from "#listening-api";
import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { HOUR, MINUTE, SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { isTransient } from "../../lib/retry.ts";
import { decideCompleteness, decideInterval, type FetchedDocument } from "../common/decide-completeness.ts";
import { FeedError, type FeedRead, type ListedDocument, UnreadableError } from "../common/define-feed.ts";
import {
  claimFeed,
  closeHost,
  countPushed,
  endFetch,
  endUnread,
  extendLease,
  type LeasedFeed,
  noteReading,
  putGap,
  putNotes,
  releaseFeed,
  reserveHost,
} from "../store/feeds.ts";
import { isPushed, noteHub } from "../store/hubs.ts";
import { decideNext, FIRST_CHECK_MS, nextReadingMs } from "./decide-next.ts";
import { notesOf } from "./feed-notes.ts";
import type { FetchFeed } from "./fetch-feed.ts";
import { judgeChecks } from "./judge-checks.ts";
import type { ForeignReader } from "./open-reader.ts";
import { createPageStatus } from "./page-status.ts";
import type { PlannedFeed } from "./plan-feeds.ts";
import { HostClosedError, readPart, siteAway } from "./read-part.ts";
import { recheckDue } from "./recheck-due.ts";
import { createItemStore, type FeedEnricher, type StoredPart } from "./store-items.ts";
import { maySubscribe, newSubscription, PUSHED_EVERY_MS } from "./web-sub.ts";

/** Renewed before every batch of requests, and much longer than one takes. */
const LEASE_MS = 3 * MINUTE;
/** Fetches at the same time in one process. */
const AT_ONCE = 4;
const LOOK_EVERY_MS = SECOND;
/** The others join the first one when there is much to fetch. */
const JOIN_EVERY_MS = 5 * SECOND;
/** Feeds whose pages are asked for at the same time: hostile sites must not keep fetches waiting. */
const RECHECKS_AT_ONCE = 2;
/** New and changed items that one fetch stores; the next one goes on. */
const MOST_STORED = 2_000;
const HUBS_EVERY_MS = 5 * SECOND;
/** Parts of one fetch; the next fetch goes on after them. */
const MOST_ROUNDS = 100;

export interface FeedRunParts {
  readonly db: Database;
  readonly project: { readonly id: number; readonly timezone: string };
  readonly feeds: readonly PlannedFeed[];
  readonly fetch: FetchFeed["fetch"];
  /** Belongs to the caller. */
  readonly reader: ForeignReader;
  /** What texts show by themselves, and what waits for an endpoint. Awaited when the first item comes. */
  readonly enricher: () => Promise<FeedEnricher>;
  /** How long items are kept. */
  readonly keepMs: number;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "warn" | "error" | "debug">;
  readonly signal: AbortSignal;
  readonly random?: () => number;
  readonly leaseMs?: number;
  /** Hubs can reach us: feeds that name one are pushed, and polled seldom. Default: no. */
  readonly hasHubs?: boolean;
}

/**
 * What this file adds to the state of a feed: when it was read last, how often it is, if that is not as configured, and how
 * many items documents that broke off have brought since.
 */
const ReadState = z
  .object({
    readAt: z.number().nullable().default(null),
    readEveryMs: z.number().optional(),
    unproven: z.number().default(0),
  })
  .catch({ readAt: null, unproven: 0 });

const TURNED_OVER =
  "none of the items of its document was known: it has turned over between two fetches, and items that it had meanwhile are missing";

function completenessOf(
  document: ListedDocument | null,
  { known, items }: StoredPart,
  before: Pick<FetchedDocument, "isBroken" | "unproven" | "readAt" | "now">,
) {
  if (document === null) return { outcome: "NothingToCompare" } as const;
  return decideCompleteness({ document, known, added: items, ...before });
}

function isFetched({ definition }: PlannedFeed): boolean {
  return definition.stream === undefined;
}

/** What a fetch did not take, for people; null: nothing. */
function describeLeftOut(
  { leftOut = 0, more }: Pick<FeedRead, "leftOut" | "more">,
  left: number,
  isFull: boolean,
): string | null {
  const most = `wait for the next fetch: at most ${count(MOST_STORED)} are stored at once`;
  const sentences = [
    left > 0 ? `${count(left)} of its items ${most}` : [],
    left === 0 && isFull && more === true ? `other items of it ${most}` : [],
    leftOut > 0 ? `${count(leftOut)} older items of its document were left out` : [],
  ].flat();
  return sentences.length === 0 ? null : sentences.join("; ");
}

function count(n: number): string {
  return n.toLocaleString("en-US");
}

/** The feed went to another worker, which fetches it: what this one has read is dropped. */
class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}

/**
 * Fetches feeds that are due. Any number of processes may do it on the same tables: a lease in the database gives each
 * feed to one of them, and the items of a fetch are stored in one transaction with its cursor, which ends the lease.
 */
export function createFeedRun(parts: FeedRunParts) {
  const { db, project, log, clock, signal, random = Math.random, leaseMs = LEASE_MS } = parts;
  const items = createItemStore(parts);
  const pageStatus = createPageStatus(parts.fetch, parts.reader);
  /** Keys of feeds that were fetched since their pages were asked for. */
  const toRecheck = new Set<string>();
  // A dozen requests wait for it at a time.
  setMaxListeners(0, signal);
  const byKey = new Map(parts.feeds.filter(isFetched).map((feed) => [feed.key, feed]));

  /** Fetches one due feed. Null if none is due. */
  async function fetchNext(): Promise<{
    readonly feed: PlannedFeed;
    readonly received: ReceiveResult | null;
  } | null> {
    const leased = await claimFeed(db, project.id, [...byKey.keys()], leaseMs);
    const feed = leased === null ? undefined : byKey.get(leased.key);
    if (leased === null || feed === undefined) return null;
    const progress = { state: leased.state };
    try {
      const received = await fetchLeased(feed, leased, progress);
      if (feed.definition.recheck?.asksPages === true) toRecheck.add(feed.key);
      return { feed, received };
    } catch (error) {
      if (error instanceof LeaseLostError) {
        log.warn({ feed: feed.name }, "another worker has taken over this feed");
        return { feed, received: null };
      }
      if (signal.aborted) {
        await releaseFeed(db, project.id, leased);
        return null;
      }
      if (error instanceof HostClosedError) {
        log.debug({ feed: feed.name, host: error.message }, "the host of a feed is left alone for a while");
        await releaseFeed(db, project.id, leased);
        return { feed, received: null };
      }
      // Our own database is away: the feed is not at fault.
      if (!(error instanceof FeedError) && isTransient(error)) throw error;
      await endWithProblem(feed, { ...leased, ...progress }, error);
      return { feed, received: null };
    }
  }

  /** Before something is read that may end the process: the next attempt is stored, later each time. */
  function readings(leased: LeasedFeed): (name: string) => Promise<number> {
    let last: { readonly reading: string | null; readonly readings: number } = leased;
    return async (name) => {
      const readings = last.reading === name ? last.readings + 1 : 1;
      last = { reading: name, readings };
      const next = { name, readings, nextInMs: nextReadingMs(readings) };
      if (!(await noteReading(db, project.id, leased, next))) throw new LeaseLostError();
      return readings;
    };
  }

  /** All parts of a fetch, each committed by itself with its cursor. `progress` is the state that was committed last. */
  async function fetchLeased(
    feed: PlannedFeed,
    leased: LeasedFeed,
    progress: { state: LeasedFeed["state"] },
  ): Promise<ReceiveResult> {
    let total = NOTHING;
    const hold = async (): Promise<void> => {
      if (!(await extendLease(db, project.id, leased, leaseMs))) throw new LeaseLostError();
    };
    const beginReading = readings(leased);
    for (let round = 1; ; round++) {
      const done = await readPart(feed, progress.state, leased.at, {
        fetch: parts.fetch,
        reserve: (host, slots) => reserveHost(db, host, slots),
        ...{ hold, beginReading, reader: parts.reader },
        dueChecks: (most) => dueChecks(db, project.id, feed.key, most),
        signal,
      });
      const { read } = done;
      const retryAfterMs = read.pauseMs ?? null;
      // A server that never comes to an end must not keep the others from their turn.
      const isLast = round >= MOST_ROUNDS || retryAfterMs !== null || signal.aborted;
      const failures = read.problem === undefined ? 0 : leased.failures + 1;
      const chance = random();
      if (retryAfterMs !== null) await closeHost(db, feed.host, retryAfterMs);
      if (read.problem !== undefined)
        log.warn({ feed: feed.name, problem: read.problem }, "a feed was not read whole");
      const { arrived, languages } = await items.arrivedOf(feed, read.items);
      // Too old to be kept, or twice in the document: nothing is missing before them.
      const dropped = read.items.length - arrived.length;
      const before = ReadState.parse(progress.state);
      const readAt = clock.now();
      const room = MOST_STORED - total.added - total.edited;
      let [state, goesOn] = [done.state, false];
      const part = await items.storeMost(feed, arrived, read.deletes, room, async (transaction, stored) => {
        if (!stored.isLast) {
          signal.throwIfAborted();
          if (!(await extendLease(transaction, project.id, leased, leaseMs))) throw new LeaseLostError();
          return;
        }
        const { document = null } = read;
        const isRead = read.problem === undefined;
        const completeness = completenessOf(
          document,
          { ...stored, known: stored.known + dropped },
          { isBroken: !isRead, unproven: before.unproven, readAt: before.readAt, now: readAt },
        );
        const isGap = completeness.outcome === "Gap";
        const beforeMs = before.readEveryMs ?? leased.everyMs;
        const coversMs = document?.coversMs ?? null;
        // An unchanged document says nothing new.
        const everyMs =
          document === null ? beforeMs : decideInterval(leased.everyMs, { coversMs, beforeMs, isGap });
        if (isGap) {
          await putGap(transaction, project.id, feed.key, { ...completeness, reason: TURNED_OVER });
          log.warn({ feed: feed.name, everyMs }, TURNED_OVER);
        }
        // What is left is read again from the same place, although the document is the same.
        state = stored.left > 0 ? { ...progress.state, validators: {} } : done.state;
        const unproven = isRead ? 0 : before.unproven + stored.added;
        state = {
          ...state,
          readAt: isRead ? readAt : before.readAt,
          ...(unproven === 0 ? {} : { unproven }),
          ...(everyMs === leased.everyMs ? {} : { readEveryMs: everyMs }),
        };
        const hasHub = await noteHubOf(transaction, feed, read);
        const oftenMs = hasHub ? Math.max(everyMs, PUSHED_EVERY_MS) : everyMs;
        const nextInMs = decideNext({ everyMs: oftenMs, failures, retryAfterMs, isFinal: false }, chance);
        const isFull = stored.left > 0 || stored.items >= room;
        goesOn = read.more === true && !isLast && !isFull;
        const leftOut = describeLeftOut(read, stored.left, isFull);
        if (leftOut !== null) log.warn({ feed: feed.name, leftOut }, "items of a feed were left out");
        await scheduleChecks(transaction, project.id, done.checks);
        const { added, matched } = stored;
        const notes = notesOf({
          document,
          languages,
          movedTo: done.movedTo,
          ...{ everyMs: oftenMs, configuredMs: leased.everyMs, isPushed: hasHub },
        });
        const end = { state, nextInMs, problem: read.problem ?? null, goesOn, leftOut, matched, notes };
        if (!(await endFetch(transaction, project.id, leased, { ...end, items: added })))
          throw new LeaseLostError();
      });
      progress.state = state;
      total = sumOf(total, part);
      if (goesOn) continue;
      log.debug({ feed: feed.name, ...total }, "a feed was fetched");
      return total;
    }
  }

  /** Remembers the hub that a document names. Whether it pushes the feed at present. */
  async function noteHubOf(transaction: Database, feed: PlannedFeed, { hub }: FeedRead): Promise<boolean> {
    if (parts.hasHubs !== true) return false;
    if (hub !== undefined) {
      const subscription = hub !== null && maySubscribe(hub, feed) ? { ...hub, ...newSubscription() } : null;
      await noteHub(transaction, project.id, feed.key, subscription);
    }
    return isPushed(transaction, project.id, feed.key);
  }

  async function endWithProblem(feed: PlannedFeed, leased: LeasedFeed, error: unknown): Promise<void> {
    const isFeedError = error instanceof FeedError;
    const unknown = { retryAfterMs: null, isFinal: false, hostPauseMs: null };
    const { retryAfterMs, isFinal, hostPauseMs } = isFeedError ? error : unknown;
    const failures = leased.failures + 1;
    const nextInMs = decideNext({ everyMs: leased.everyMs, failures, retryAfterMs, isFinal }, random());
    const problem = isFeedError
      ? error.message
      : `it could not be read: ${describeError(error)}`.slice(0, 500);
    const details = { feed: feed.name, problem, failures };
    if (isFeedError) log.info(details, "a feed could not be fetched");
    else log.error(details, "a feed could not be read: this is a fault of Earshot");
    // The host has asked all of us to wait. One address that is broken says nothing of the others.
    if (hostPauseMs !== null) await closeHost(db, feed.host, hostPauseMs);
    if (error instanceof UnreadableError) return endUnread(db, project.id, leased, problem);
    await endFetch(db, project.id, leased, { state: leased.state, nextInMs, problem, items: 0, matched: 0 });
  }

  /** Asks for pages of one feed that was fetched. False if there is none. */
  async function recheckNext(): Promise<boolean> {
    const [key = ""] = toRecheck;
    toRecheck.delete(key);
    const feed = byKey.get(key);
    if (feed === undefined) return false;
    const { most = 0 } = feed.definition.recheck ?? {};
    const due = await claimChecks(db, project.id, key, { most, forMs: FIRST_CHECK_MS });
    const found = await recheckDue(feed, due, clock.now(), {
      ...{ pageStatus, signal },
      reserve: (host, slots) => reserveHost(db, host, slots),
    });
    await db.transaction().execute(async (transaction) => {
      // While the pages were asked for, a fetch may have listed some of their items again.
      const { deletes, checks, away } = judgeChecks(await dueNow(transaction, project.id, due), found, true);
      await items.store(transaction, feed, { arrived: [], deletes });
      await scheduleChecks(transaction, project.id, checks);
      await putNotes(transaction, project.id, key, { away: away === 0 ? null : siteAway(away) });
    });
    return true;
  }

  /** Deletes what is older than what is kept: of this project alone, as others may share the tables. */
  async function forgetOld(): Promise<void> {
    const before = clock.now() - parts.keepMs;
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

  return {
    fetchNext,
    forgetOld,
    recheckNext,
    /** Stores what was pushed. */
    async receivePushed(
      feed: PlannedFeed,
      read: Pick<FeedRead, "items" | "deletes">,
    ): Promise<ReceiveResult> {
      const { arrived } = await items.arrivedOf(feed, read.items);
      const most = Number.POSITIVE_INFINITY;
      return items.storeMost(feed, arrived, read.deletes, most, async (transaction, stored) => {
        if (stored.isLast)
          await countPushed(transaction, project.id, feed.key, {
            items: stored.added,
            matched: stored.matched,
          });
      });
    },
    /** Fetches what becomes due until the signal comes. `subscribe`: asks one hub that is due. */
    async run(subscribe: (() => Promise<boolean>) | null = null): Promise<void> {
      /** Works until the signal comes. After a failure, and where there was nothing to do, it waits. */
      const loop = async (
        work: () => Promise<boolean>,
        pauseMs: number,
        failed: { readonly level: "error" | "warn"; readonly message: string },
      ): Promise<void> => {
        while (!signal.aborted) {
          const found = await work().catch((error: unknown) => {
            if (!signal.aborted) log[failed.level]({ error: describeError(error) }, failed.message);
            return false;
          });
          if (!found) await delay(pauseMs, undefined, { signal, ref: pauseMs < HOUR }).catch(() => {});
        }
      };
      const fetch = async (): Promise<boolean> => (await fetchNext()) !== null;
      const forget = (): Promise<boolean> => forgetOld().then(() => false);
      const fetches = Array.from({ length: AT_ONCE }, (_, nth) =>
        loop(fetch, nth === 0 ? LOOK_EVERY_MS : JOIN_EVERY_MS, {
          level: "error",
          message: "feeds cannot be fetched; trying again",
        }),
      );
      const rechecks = Array.from({ length: RECHECKS_AT_ONCE }, () =>
        loop(recheckNext, LOOK_EVERY_MS, {
          level: "warn",
          message: "stored items could not be checked for deletes",
        }),
      );
      await Promise.all([
        ...fetches,
        ...rechecks,
        ...(subscribe === null
          ? []
          : [loop(subscribe, HUBS_EVERY_MS, { level: "warn", message: "hubs of feeds cannot be asked" })]),
        loop(forget, HOUR, { level: "warn", message: "old items could not be deleted" }),
      ]);
    },
  };
}
