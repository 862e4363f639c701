import { commitWithDeadLetters } from "../ingest/commit-with-dead-letters.ts";
import { preparePage } from "../ingest/prepare-page.ts";
import type { SourcePage } from "../ingest/source-page.ts";
import { floorTo, type Instant } from "../lib/instant.ts";
import { prefetch } from "../lib/prefetch.ts";
import { BUCKET_MS } from "../model/count-change.ts";
import type { PollKey } from "../model/poll.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { Coverage } from "./coverage.ts";
import { isRefusal } from "./is-refusal.ts";
import { nextPollAt } from "./pace.ts";
import type { PollParts } from "./poll-parts.ts";
import type { PollState } from "./poll-state.ts";
import { quirksOfPoll } from "./quirks-of-poll.ts";
import { createRepeatCounter } from "./repeat-counter.ts";
import { tryTail } from "./try-tail.ts";
import { abandonPoll, afterPage, nextCall, type PolledPage, type PollSettings } from "./watermark.ts";

/** One run of a poll whose lease is held. */
export interface PollRun {
  readonly key: PollKey;
  readonly query: WatchedQuery;
  readonly lease: string;
  readonly startedAt: Instant;
  readonly signal: AbortSignal;
  /** Pages that this run has committed. */
  readonly progress: { pages: number };
  readonly settings: PollSettings;
}

/** A poll that has ended. */
export interface CompletePoll {
  readonly outcome: "complete";
  readonly pages: number;
  readonly added: number;
  readonly changed: number;
  /** A bucket has closed that is not evaluated yet. */
  readonly windowsDue: boolean;
  readonly startedAt: Instant;
}

/**
 * Fetches page after page and commits each with all its results in one transaction. Throws what a page or its commit
 * throws; earlier commits stay.
 */
export async function pollPages(parts: PollParts, run: PollRun, stored: PollState): Promise<CompletePoll> {
  const { key, query, lease, startedAt, settings } = run;
  const call = nextCall(key.poll, stored, settings, startedAt);
  const counts: PollCounts = {
    pages: 0,
    added: 0,
    changed: 0,
    rejected: 0,
    repeated: 0,
    lateMs: 0,
    restamped: 0,
  };
  const repeats = createRepeatCounter();
  let { state } = call;
  try {
    const rules = parts.rulesFor(query);
    const prepare = (page: SourcePage) => preparePage(rules, parts.store.mentions.rowsOf, page);
    const pages = prefetch((signal) => parts.fetchPages(query, call.request, signal), prepare, run.signal);
    const whileStoring = pages.begin;
    for await (const prepared of pages) {
      const { page } = prepared;
      const repeated = repeats.count(page.mentions);
      const after = afterPage(state, { ...measure(key.poll, page), repeated }, settings);
      const committed = isEmpty(page)
        ? NOTHING_COMMITTED
        : await commitWithDeadLetters({ ...parts, prepare, whileStoring }, { key, query, lease }, prepared, {
            before: resumable(page, state, state, settings),
            after: resumable(page, state, after.state, settings),
          });
      state = after.state;
      run.progress.pages += 1;
      counts.pages += 1;
      counts.added += committed.added;
      counts.changed += committed.changed;
      counts.rejected += page.rejected.length;
      counts.repeated += repeated;
      counts.restamped += committed.restamped;
      counts.lateMs = Math.max(counts.lateMs, latenessOf(stored, committed.earliestAdded));
      if (committed.pending.length > 0) await parts.onPending(committed.pending);
      if (after.outcome === "Ended") return await finish(parts, run, stored, after, counts);
    }
  } catch (error) {
    if (isRefusedCursor(error, state) || (error as { readonly abandons?: boolean }).abandons === true) {
      await parts.store.polls.advance(key, lease, abandonPoll(state, settings));
    }
    throw error;
  }
  // The last page was full, and the empty one behind it is not passed on.
  const after = afterPage(state, EMPTY_PAGE, settings);
  if (counts.pages === 0 || after.outcome !== "Ended") throw new PollBrokenError("the source sent no page");
  return finish(parts, run, stored, after, counts);
}

/** What one run of a poll found. */
export interface PollCounts {
  pages: number;
  added: number;
  changed: number;
  rejected: number;
  repeated: number;
  /** How far behind the watermark a new mention was. */
  lateMs: number;
  /** Known mentions that came with a newer `added`. */
  restamped: number;
}

/** A new mention behind a valid watermark has become visible late. */
function latenessOf({ watermark, gap }: PollState, earliestAdded: Instant | null): number {
  if (watermark === null || gap !== null || earliestAdded === null) return 0;
  return Math.max(0, watermark - earliestAdded);
}

const EMPTY_PAGE: PolledPage = {
  highest: null,
  rows: 0,
  repeated: 0,
  total: null,
  nextCursor: null,
  pageSize: null,
};

/**
 * An interrupted shared poll restarts from its watermark. So does a poll whose cursor leads to itself, because the
 * server may have moved on by a page that was never committed.
 */
function resumable(page: SourcePage, asked: PollState, state: PollState, settings: PollSettings): PollState {
  const isKeptThere = page.nextCursor !== null && page.nextCursor === asked.running?.cursor;
  return page.shared === undefined && !isKeptThere ? state : abandonPoll(state, settings);
}

/** An empty page is not worth a transaction: the end of the poll writes its state. */
function isEmpty(page: SourcePage): boolean {
  return page.mentions.length === 0 && page.rejected.length === 0;
}

const NOTHING_COMMITTED = { added: 0, changed: 0, restamped: 0, earliestAdded: null, pending: [] };

class PollBrokenError extends Error {
  override readonly name = "PollBrokenError";
  readonly retryable = true;
}

async function finish(
  parts: PollParts,
  run: PollRun,
  before: PollState,
  { state, coverage }: { readonly state: PollState; readonly coverage: Coverage },
  counts: PollCounts,
): Promise<CompletePoll> {
  const { key, query, lease, startedAt } = run;
  const { completeUntil } = state;

  await parts.store.transaction(async (facts) => {
    await facts.polls.advance(key, lease, state);
    await facts.coverage.record({
      ...key,
      startedAt,
      fromAt: coverage.from,
      untilAt: coverage.to,
      claimed: coverage.total,
      seen: coverage.seen,
      stored: counts.added,
      rejected: counts.rejected,
      gap: coverage.outcome === "Gap" ? coverage.missing : 0,
    });
    const nextAt = nextPollAt(key, startedAt, parts.everyMs(key.poll));
    await facts.polls.finish(key, lease, { completeUntil, polledAt: startedAt, nextAt });
  });
  await learn(parts, run, { before, after: state, coverage }, counts);
  const closed = completeUntil !== null && floorTo(completeUntil, BUCKET_MS) > query.tickedUntil;
  const { pages, added, changed } = counts;
  const windowsDue = key.poll === "added" && closed;
  return { outcome: "complete", pages, added, changed, windowsDue, startedAt };
}

/** Quirks are useful, but storing them must never fail a poll. */
async function learn(
  { quirkLog, firstPage, isShared }: PollParts,
  { key, query, signal }: PollRun,
  completed: { readonly before: PollState; readonly after: PollState; readonly coverage: Coverage },
  counts: PollCounts,
): Promise<void> {
  try {
    // The total of shared pages belongs to all their queries together, and to none alone.
    const found = quirksOfPoll(key.poll, completed, counts).filter(
      ({ quirk }) => isShared !== true || quirk !== "total",
    );
    const isTried = isShared === true || (await quirkLog.quirks()).has("after-end");
    const tail = isTried || counts.added === 0 ? null : (completed.before.tail ?? null);
    const tried =
      tail === null ? [] : await tryTail(tail, (request) => firstPage(query, request, signal), key.poll);
    await quirkLog.note([...found, ...tried]);
  } catch {
    // It will be detected again.
  }
}

/** A cursor that is refused today is refused tomorrow; the watermark is not. */
function isRefusedCursor(error: unknown, state: PollState): boolean {
  return state.running?.cursor != null && isRefusal(error);
}

function measure(poll: PollKey["poll"], page: SourcePage) {
  let highest: Instant | null = page.shared?.highest ?? null;
  for (const mention of page.mentions) {
    const at = poll === "added" ? mention.addedAt : mention.updatedAt;
    if (highest === null || at > highest) highest = at;
  }
  const { nextCursor, total, pageSize } = page;
  return { highest, rows: page.mentions.length + page.rejected.length, total, nextCursor, pageSize };
}
