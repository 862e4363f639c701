import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import {
  type ArrivedBatch,
  type ArrivedItem,
  NOTHING,
  type QueryCache,
  queriesOf,
  type ReceiveResult,
  receiveItems,
  searchableMention,
  sumOf,
} from "#listening-api";
import { monotonicMs } from "../../lib/clock.ts";
import { yieldingLoop } from "../../lib/concurrency.ts";
import { describeError } from "../../lib/errors.ts";
import { MINUTE, SECOND, toIso } from "../../lib/instant.ts";
import type { JsonObject } from "../../lib/json.ts";
import { readRetryAfter } from "../../lib/retry.ts";
import type { StreamItem, StreamRead } from "../common/define-feed.ts";
import { textOfHtml } from "../common/text-of-html.ts";
import {
  claimFeed,
  extendLease,
  type FeedGap,
  failStream,
  keepStream,
  type LeasedFeed,
  putGap,
  releaseFeed,
} from "../store/feeds.ts";
import type { FeedRunParts } from "./feed-work.ts";
import {
  MOST_SILENCES,
  openStream,
  STREAM_LIMITS,
  type StreamEnd,
  type StreamLimits,
} from "./open-stream.ts";
import {
  decideReconnect,
  findGap,
  isStepping,
  nextPlace,
  planConnection,
  type StreamPlace,
  type StreamTrouble,
} from "./plan-connection.ts";
import type { PlannedFeed } from "./plan-feeds.ts";
import { authorKeyOf, toArrived, toDeleted } from "./to-arrived.ts";

/** Renewed with every batch: this long after a worker died, another one takes over. */
const LEASE_MS = 30 * SECOND;
const LOOK_EVERY_MS = 2 * SECOND;
/** A connection that lived this long was a good one. */
const GOOD_AFTER_MS = MINUTE;

export type StreamRunParts = Pick<
  FeedRunParts,
  "db" | "project" | "enricher" | "keepMs" | "clock" | "log" | "signal" | "random" | "leaseMs"
> & {
  readonly feed: PlannedFeed;
  readonly userAgent: string;
  readonly limits?: Partial<StreamLimits>;
  /** Between two looks whether the stream is free. */
  readonly lookEveryMs?: number;
  /** The shortest wait between two connections; doubled with every failure. Default: 1 s. */
  readonly reconnectMs?: number;
  /** Called after every batch that was stored, for tests and measurements. */
  readonly onBatch?: (batch: ReceiveResult & { readonly frames: number }) => void;
};

/** Frames in a row of which none is an event with its position. */
const MOST_UNREAD = 1_000;

const Place = z.object({ host: z.string(), from: z.number(), newest: z.number() });

/** Another worker has the stream: what was read and not stored is dropped. */
class StreamLostError extends Error {
  override readonly name = "StreamLostError";
}

/**
 * Reads a stream for as long as the signal lets it. Of all workers one has the connection; it holds a lease in the
 * database, and stores items together with how far the stream has come.
 */
export async function runStream(parts: StreamRunParts): Promise<void> {
  const { db, project, feed, log, signal, random = Math.random } = parts;
  const { leaseMs = LEASE_MS, lookEveryMs = LOOK_EVERY_MS } = parts;
  const cache: QueryCache = new Map();
  while (!signal.aborted) {
    let leased: LeasedFeed | null = null;
    let waitMs = lookEveryMs;
    try {
      leased = await claimFeed(db, project.id, [feed.key], leaseMs);
      if (leased !== null) await listen({ ...parts, leaseMs }, leased, cache);
    } catch (error) {
      if (error instanceof StreamLostError)
        log.warn({ feed: feed.name }, "another worker has taken over this stream");
      else if (!signal.aborted) {
        log.error({ feed: feed.name, error: describeError(error) }, "a stream stopped; trying again");
        const problem = `what it sent could not be stored: ${describeError(error)}`.slice(0, 500);
        // Where the database is away, nobody can note it.
        if (leased !== null)
          await failStream(db, project.id, leased, { problem, leaseMs: 0 }).catch(() => false);
        const failures = (leased?.failures ?? 0) + 1;
        const firstMs = parts.reconnectMs;
        waitMs += decideReconnect({ failures, hasBrought: false, retryAfterMs: null, firstMs }, random());
      }
    }
    if (leased !== null) await releaseFeed(db, project.id, leased).catch(() => {});
    await delay(waitMs, undefined, { signal }).catch(() => {});
  }
}

/** One connection after the other, until the signal comes or the lease is lost. */
async function listen(
  parts: StreamRunParts & { readonly leaseMs: number },
  leased: LeasedFeed,
  cache: QueryCache,
): Promise<void> {
  const { db, project, feed, clock, log, signal, leaseMs, random = Math.random } = parts;
  const stored = Place.safeParse(leased.state["place"]);
  let place: StreamPlace | null = stored.success ? stored.data : null;
  let trouble: StreamTrouble = { failures: 0, tooLarge: 0, tooOld: 0 };
  while (!signal.aborted) {
    const startedAt = monotonicMs();
    const { end, place: after, hasBrought } = await oneConnection(parts, leased, cache, place, trouble);
    if (signal.aborted) return;
    const isForward = after !== null && after.newest > (place?.newest ?? 0);
    place = after;
    trouble = afterEnd(trouble, end, { isForward, hasBrought, livedMs: monotonicMs() - startedAt });
    const retryAfterMs = readRetryAfter(end.retryAfter, clock.now());
    const waitMs = decideReconnect(
      {
        failures: isStepping(trouble) ? 1 : trouble.failures,
        hasBrought,
        retryAfterMs,
        firstMs: parts.reconnectMs,
      },
      random(),
    );
    log.info({ feed: feed.name, problem: end.problem, waitMs }, "a stream ended; it is opened again");
    const failed = { problem: end.problem, leaseMs: waitMs + leaseMs };
    if (!(await failStream(db, project.id, leased, failed))) throw new StreamLostError();
    await delay(waitMs, undefined, { signal }).catch(() => {});
  }
}

/** What the next connection has to know of the last ones. */
function afterEnd(
  before: StreamTrouble,
  { reason }: StreamEnd,
  { isForward, hasBrought, livedMs }: { isForward: boolean; hasBrought: boolean; livedMs: number },
): StreamTrouble {
  const failures = hasBrought && livedMs >= GOOD_AFTER_MS ? 1 : before.failures + 1;
  const isLarge = reason === "frame too large";
  const tooLarge = (isForward ? 0 : before.tooLarge) + (isLarge ? 1 : 0);
  return { failures, tooLarge, tooOld: reason === "cursor too old" ? before.tooOld + 1 : 0 };
}

async function oneConnection(
  parts: StreamRunParts & { readonly leaseMs: number },
  leased: LeasedFeed,
  cache: QueryCache,
  before: StreamPlace | null,
  trouble: StreamTrouble,
): Promise<{ readonly end: StreamEnd; readonly place: StreamPlace | null; readonly hasBrought: boolean }> {
  const { db, project, feed, clock, log, signal, leaseMs } = parts;
  const { stream } = feed.definition;
  if (stream === undefined) throw new Error(`a feed of the kind ${feed.kind} is no stream`);
  const limits = { ...STREAM_LIMITS, ...parts.limits };
  const plan = planConnection(stream.hosts(feed.settings), before, trouble, clock.now());
  const open = openStream(stream.address(plan.host, plan.from, limits), {
    ...{ userAgent: parts.userAgent, allowPrivateAddress: feed.settings.allowPrivateAddress },
    ...{ isCompressed: stream.isCompressed(feed.settings), limits },
  });
  const stop = (): void => open.close();
  signal.addEventListener("abort", stop);
  let place = before;
  let [hasBrought, unread, heldAt, readAt] = [false, 0, monotonicMs(), monotonicMs()];
  let [unreadInRow, isOther] = [0, false];
  try {
    for (;;) {
      const { frames, end } = await open.take();
      if (frames.length > 0) {
        const read = stream.read(frames, clock.now());
        unread += read.unread;
        if (!hasBrought) log.info({ feed: feed.name, host: plan.host }, "a stream is open");
        // Whoever sends events without a position sends something else.
        const isRead = read.positions.length > 0;
        const gap = hasBrought || !isRead ? null : gapAtStart(before, read, plan, trouble);
        hasBrought ||= isRead;
        place = nextPlace(place, plan.host, read.positions, clock.now());
        unreadInRow = isRead ? 0 : unreadInRow + frames.length;
        if (isRead) readAt = monotonicMs();
        isOther = unreadInRow > MOST_UNREAD || monotonicMs() - readAt > MOST_SILENCES * limits.silentMs;
        if (isOther) open.close();
        await storeBatch(parts, leased, cache, { read, place, gap, frames: frames.length, isRead });
        heldAt = monotonicMs();
        if (gap !== null) log.warn({ feed: feed.name, from: toIso(gap.from), to: toIso(gap.to) }, gap.reason);
      } else if (monotonicMs() - heldAt > leaseMs / 3) {
        if (!(await extendLease(db, project.id, leased, leaseMs))) throw new StreamLostError();
        heldAt = monotonicMs();
      }
      if (end === null) continue;
      if (unread > 0) log.warn({ feed: feed.name, unread }, "frames of a stream could not be read");
      return { end: isOther || (!hasBrought && unread > 0) ? unreadable(end) : end, place, hasBrought };
    }
  } finally {
    signal.removeEventListener("abort", stop);
    open.close();
  }
}

function unreadable(end: StreamEnd): StreamEnd {
  return { ...end, problem: `it sends something else than a stream of this kind; ${end.problem}` };
}

function gapAtStart(
  before: StreamPlace | null,
  { positions }: StreamRead,
  plan: ReturnType<typeof planConnection>,
  { tooLarge }: StreamTrouble,
): FeedGap | null {
  const [first] = positions;
  const found = first === undefined ? null : findGap(before, first, plan);
  if (found === null) return null;
  const reason =
    tooLarge > 1
      ? "a frame that is too large was left out"
      : "the server had no events of this time any more: posts and deletes of it are missing";
  return { ...found, reason };
}

/** Items, deletes, gap and place, in one transaction where they fit into it. */
async function storeBatch(
  parts: StreamRunParts & { readonly leaseMs: number },
  leased: LeasedFeed,
  cache: QueryCache,
  batch: {
    readonly read: StreamRead;
    readonly place: StreamPlace | null;
    readonly gap: FeedGap | null;
    readonly frames: number;
    readonly isRead: boolean;
  },
): Promise<void> {
  const { db, project, feed, clock, leaseMs } = parts;
  const { definition } = feed;
  const { place, gap } = batch;
  const { ofText, queue } = await parts.enricher();
  const at = clock.now();
  const queries = await queriesOf(db, project.id, cache);
  const context = { kind: definition, fetchedAt: at, keepFrom: at - parts.keepMs, enrich: ofText };
  // Frames of strangers: as many as they are, other work goes on between two of them.
  const came = await yieldingLoop(toBatch(batch.read, queries, context));
  const from = {
    ...{ kind: definition.kind, feedKey: feed.key, policyVersion: definition.policy.version },
    host: place === null ? feed.host : new URL(place.host).host,
  };
  const state = (place === null ? {} : { place: { ...place } }) as JsonObject;
  let received = NOTHING;
  let part: ArrivedBatch | null = came;
  while (part !== null) {
    const now: ArrivedBatch = part;
    await db.transaction().execute(async (transaction) => {
      const how = { at, cache, queue, keeps: "matched" } as const;
      const { left, ...stored } = await receiveItems(transaction, project, from, now, how);
      received = sumOf(received, stored);
      part = left.length > 0 ? { arrived: left, deleted: [] } : null;
      if (gap !== null && part === null) await putGap(transaction, project.id, feed.key, gap);
      const had = { state, items: received.added, matched: received.matched, leaseMs };
      // The place moves with the last part.
      const isOurs =
        part === null && batch.isRead
          ? await keepStream(transaction, project.id, leased, had)
          : await extendLease(transaction, project.id, leased, leaseMs);
      if (!isOurs) throw new StreamLostError();
    });
  }
  parts.onBatch?.({ ...received, frames: batch.frames });
}

/** What the frames brought, in the form in which it is stored. */
function* toBatch(
  read: StreamRead,
  queries: Awaited<ReturnType<typeof queriesOf>>,
  context: Parameters<typeof toArrived>[1],
): Generator<void, ArrivedBatch> {
  const { kind } = context;
  const arrived: ArrivedItem[] = [];
  for (const item of read.items) {
    // Most posts of a network have nothing to do with any query: they go no further.
    const mayMatch = item.isEdit || queries.mayMatch(wordsOf(item));
    const { item: arriving } = mayMatch ? toArrived(item, context) : { item: null };
    if (arriving !== null) arrived.push(arriving);
    yield;
  }
  return {
    arrived,
    deleted: read.deletes.map((one) => toDeleted(kind, one)),
    removedAuthors: read.removedAuthors.map(({ authorId, reason }) => ({
      ...{ authorKey: authorKeyOf(kind, authorId), reason },
    })),
    restoredAuthors: read.restoredAuthors.map((authorId) => authorKeyOf(kind, authorId)),
  };
}

/** The words of an item without its other fields, which need more work. */
export function wordsOf({ title, body }: Pick<StreamItem, "title" | "body">) {
  const text = body === null ? null : "html" in body ? textOfHtml(body.html) : body.text;
  return searchableMention({ title }, text);
}
