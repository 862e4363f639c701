import { ahead } from "../lib/ahead.ts";
import type { Clock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import { floorTo, type Instant } from "../lib/instant.ts";
import { retryDelayMs } from "../lib/retry-delay.ts";
import { BUCKET_MS } from "../model/count-change.ts";
import type { OwedNotification } from "../model/notification.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { WalkKey } from "../model/walk.ts";
import type { Directory } from "../notify/tell.ts";
import type { Rule } from "../rules/rule.ts";
import { commitSoundly } from "./commit-soundly.ts";
import type { Coverage } from "./coverage.ts";
import type { StoryCache } from "./fold-stories.ts";
import { nextPollAt } from "./pace.ts";
import { passPoisonPage } from "./pass-poison-page.ts";
import type { IngestStore } from "./ports.ts";
import { preparePage } from "./prepare-page.ts";
import { prepareSeries } from "./prepare-series.ts";
import { createRepeatCounter } from "./repeat-counter.ts";
import { replaySetAside } from "./replay-set-aside.ts";
import type { SourcePage } from "./source-page.ts";
import {
  abandonWalk,
  afterPage,
  NEW_WALK,
  nextCall,
  type WalkedPage,
  type WalkRequest,
  type WalkSettings,
  type WalkState,
} from "./watermark.ts";

export interface PollParts {
  readonly store: IngestStore;
  /** The pages of one walk, in order. Throws errors with `retryable` and `retryAfterMs`. */
  readonly walkPages: (
    query: WatchedQuery,
    request: WalkRequest,
    signal: AbortSignal,
  ) => AsyncIterable<SourcePage>;
  /** Its pages come out of calls that others share: then a fault in them may be another's. */
  readonly isShared?: boolean;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly directory: Directory;
  readonly clock: Clock;
  readonly stories?: StoryCache;
  readonly settings: (query: WatchedQuery, walk: WalkKey["walk"]) => WalkSettings;
  /** How long after the start of a walk its query is due again, in domain time. */
  readonly everyMs: (walk: WalkKey["walk"]) => number;
  /** Told after the commit that notifications are due. */
  readonly onOwed: (owed: readonly OwedNotification[]) => Promise<void>;
}

export type PollOutcome =
  /** Somebody else walks it, or it was walked meanwhile. */
  | { readonly outcome: "not-due" }
  | {
      readonly outcome: "complete";
      readonly pages: number;
      readonly added: number;
      readonly changed: number;
      /** A bucket has closed that nobody has judged. */
      readonly windowsDue: boolean;
      readonly startedAt: Instant;
    }
  /** No call could be made for it now; nothing has failed. */
  | { readonly outcome: "postponed"; readonly because: string }
  /** What was committed stands; the walk goes on from there after a while. */
  | { readonly outcome: "broken-off"; readonly error: string; readonly retryable: boolean };

/**
 * Walks one query to its end: fetches pages and commits each with everything that follows from it in one transaction.
 * The lease on the walk, checked in that transaction, keeps two workers from walking a query at once and a worker that
 * was thought dead from committing behind its successor.
 */
export async function pollQuery(parts: PollParts, key: WalkKey, signal: AbortSignal): Promise<PollOutcome> {
  const startedAt = parts.clock.now();
  const claim = await parts.store.walks.claim(key, startedAt);
  if (claim === null) return { outcome: "not-due" };
  const query = await parts.store.queries.find(key.projectId, key.queryId);
  if (query === null) return { outcome: "not-due" };
  const keepAlive = setInterval(() => {
    // A renewal that fails shows in the next commit, which checks the lease.
    parts.store.walks.renew(key, claim.lease).catch(() => {});
  }, RENEW_EVERY_MS);
  const progress = { pages: 0 };
  try {
    await prepareSeries(parts.store, query, parts.rulesFor(query));
    const state = (claim.state as WalkState | null) ?? NEW_WALK;
    const begun = await replay(parts, { key, query, lease: claim.lease }, state);
    return await walk(parts, { key, query, lease: claim.lease, startedAt, signal, progress }, begun);
  } catch (error) {
    const { retryable = true, retryAfterMs, isPostponed } = error as Trouble;
    if (isPostponed === true) {
      await parts.store.walks.postpone(key, claim.lease, retryAfterMs ?? 0);
      return { outcome: "postponed", because: describeError(error) };
    }
    if (progress.pages === 0 && parts.isShared !== true)
      await passOver(parts, { key, query, lease: claim.lease, signal }, claim, error);
    const delayMs = retryDelayMs(claim.failures + 1, retryAfterMs ?? undefined, Math.random());
    await parts.store.walks.fail(key, claim.lease, describeError(error), delayMs);
    return { outcome: "broken-off", error: describeError(error), retryable };
  } finally {
    clearInterval(keepAlive);
  }
}

interface Trouble {
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | null;
  readonly isPostponed?: boolean;
}

const RENEW_EVERY_MS = 3_000;

/** What stood aside and is to be tried again comes first. */
async function replay(
  parts: PollParts,
  walking: { readonly key: WalkKey; readonly query: WatchedQuery; readonly lease: string },
  state: WalkState,
): Promise<WalkState> {
  const prepare = (page: SourcePage) =>
    preparePage(parts.rulesFor(walking.query), parts.store.mentions.rowsOf, page);
  const replayed = await replaySetAside({ ...parts, prepare }, walking, state);
  if (replayed.owed.length > 0) await parts.onOwed(replayed.owed);
  return replayed.state;
}

/** Whether it could be passed over or not, the failure is noted as one; passing it is no reason to fail anew. */
async function passOver(
  parts: PollParts,
  walking: Parameters<typeof passPoisonPage>[1],
  claim: { readonly state: unknown; readonly failures: number },
  error: unknown,
): Promise<void> {
  const state = (claim.state as WalkState | null) ?? NEW_WALK;
  await passPoisonPage(parts, walking, state, { error, tries: claim.failures + 1 }).catch(() => false);
}

interface Walking {
  readonly key: WalkKey;
  readonly query: WatchedQuery;
  readonly lease: string;
  readonly startedAt: Instant;
  readonly signal: AbortSignal;
  /** Pages that this run has committed. */
  readonly progress: { pages: number };
}

async function walk(parts: PollParts, walking: Walking, stored: WalkState): Promise<PollOutcome> {
  const { key, query, lease, startedAt } = walking;
  const settings = parts.settings(query, key.walk);
  const call = nextCall(key.walk, stored, settings, startedAt);
  const tally = { pages: 0, added: 0, changed: 0, rejected: 0 };
  const repeats = createRepeatCounter();
  let { state } = call;
  try {
    const rules = parts.rulesFor(query);
    const prepare = (page: SourcePage) => preparePage(rules, parts.store.mentions.rowsOf, page);
    const pages = ahead((signal) => parts.walkPages(query, call.request, signal), prepare, walking.signal);
    const whileStoring = pages.begin;
    for await (const prepared of pages) {
      const { page } = prepared;
      const repeated = repeats.count(page.mentions);
      const after = afterPage(state, { ...measure(key.walk, page), repeated }, settings);
      const committed = isEmpty(page)
        ? NOTHING_COMMITTED
        : await commitSoundly({ ...parts, prepare, whileStoring }, { key, query, lease }, prepared, {
            before: resumable(page, state),
            after: resumable(page, after.state),
          });
      state = after.state;
      walking.progress.pages += 1;
      tally.pages += 1;
      tally.added += committed.added;
      tally.changed += committed.changed;
      tally.rejected += page.rejected.length;
      if (committed.owed.length > 0) await parts.onOwed(committed.owed);
      if (after.outcome === "Ended") return await finish(parts, walking, after, tally);
    }
  } catch (error) {
    if (isRefusedCursor(error, state)) await parts.store.walks.advance(key, lease, abandonWalk(state));
    throw error;
  }
  // The last page was full, and the one behind it, which is empty, is not given to us.
  const after = afterPage(state, EMPTY_PAGE, settings);
  if (tally.pages === 0 || after.outcome !== "Ended") throw new WalkBrokenError("the source sent no page");
  return finish(parts, walking, after, tally);
}

const EMPTY_PAGE: WalkedPage = {
  highest: null,
  rows: 0,
  repeated: 0,
  total: null,
  nextCursor: null,
  pageSize: null,
};

/** Who was cut off in the middle of a shared walk begins anew at its watermark. */
function resumable(page: SourcePage, state: WalkState): WalkState {
  return page.shared === undefined ? state : abandonWalk(state);
}

/** A page without anything on it is not worth a transaction: the end of the walk writes its state. */
function isEmpty(page: SourcePage): boolean {
  return page.mentions.length === 0 && page.rejected.length === 0;
}

const NOTHING_COMMITTED = { added: 0, changed: 0, owed: [] };

class WalkBrokenError extends Error {
  override readonly name = "WalkBrokenError";
  readonly retryable = true;
}

async function finish(
  parts: PollParts,
  { key, query, lease, startedAt }: Walking,
  { state, coverage }: { readonly state: WalkState; readonly coverage: Coverage },
  tally: {
    readonly pages: number;
    readonly added: number;
    readonly changed: number;
    readonly rejected: number;
  },
): Promise<PollOutcome> {
  const { completeUntil } = state;
  await parts.store.transaction(async (facts) => {
    await facts.walks.advance(key, lease, state);
    await facts.coverage.record({
      ...key,
      startedAt,
      fromAt: coverage.from,
      untilAt: coverage.to,
      claimed: coverage.total,
      seen: coverage.seen,
      stored: tally.added,
      rejected: tally.rejected,
      gap: coverage.outcome === "Gap" ? coverage.missing : 0,
    });
    const nextAt = nextPollAt(key, startedAt, parts.everyMs(key.walk));
    await facts.walks.finish(key, lease, { completeUntil, polledAt: startedAt, nextAt });
  });
  const closed = completeUntil !== null && floorTo(completeUntil, BUCKET_MS) > query.tickedUntil;
  const { pages, added, changed } = tally;
  const windowsDue = key.walk === "added" && closed;
  return { outcome: "complete", pages, added, changed, windowsDue, startedAt };
}

/** A cursor that is refused today is refused tomorrow; the watermark is not. */
function isRefusedCursor(error: unknown, state: WalkState): boolean {
  const { status } = error as { status?: number | null };
  const isResumed = state.running !== null && state.running.cursor !== null;
  return isResumed && (status === 400 || status === 404 || status === 422);
}

function measure(walk: WalkKey["walk"], page: SourcePage) {
  let highest: Instant | null = page.shared?.highest ?? null;
  for (const mention of page.mentions) {
    const at = walk === "added" ? mention.addedAt : mention.updatedAt;
    if (highest === null || at > highest) highest = at;
  }
  const { nextCursor, total, pageSize } = page;
  return { highest, rows: page.mentions.length + page.rejected.length, total, nextCursor, pageSize };
}
