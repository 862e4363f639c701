import { preparePage } from "../ingest/prepare-page.ts";
import { prepareSeries } from "../ingest/prepare-series.ts";
import type { SourcePage } from "../ingest/source-page.ts";
import { describeError } from "../lib/errors.ts";
import { retryDelayMs } from "../lib/retry-delay.ts";
import type { PollKey } from "../model/poll.ts";
import type { WatchedQuery } from "../model/query.ts";
import { isOutdated, observedSettings } from "./observed-settings.ts";
import { type CompletePoll, pollPages } from "./poll-pages.ts";
import type { PollParts } from "./poll-parts.ts";
import { NEW_POLL, type PollState } from "./poll-state.ts";
import { replayDeadLetters } from "./replay-dead-letters.ts";
import { skipPoisonPage } from "./skip-poison-page.ts";
import { abandonPoll } from "./watermark.ts";

export type PollOutcome =
  /** Another worker polls it, or polled it meanwhile. */
  | { readonly outcome: "not-due" }
  | CompletePoll
  /** No call could be made for it now; nothing has failed. */
  | { readonly outcome: "postponed"; readonly because: string }
  /** Committed pages stay; the poll resumes from there later. */
  | { readonly outcome: "broken-off"; readonly error: string; readonly retryable: boolean };

/**
 * Polls one query to its end: fetches pages and commits each with all its results in one transaction. That transaction
 * checks the lease on the poll. So two workers never poll a query at once, and a worker that was thought dead never
 * commits behind its successor.
 */
export async function pollQuery(parts: PollParts, key: PollKey, signal: AbortSignal): Promise<PollOutcome> {
  const startedAt = parts.clock.now();
  const claim = await parts.store.polls.claim(key, startedAt);
  if (claim === null) return { outcome: "not-due" };
  const query = await parts.store.queries.find(key.projectId, key.queryId);
  if (query === null) return { outcome: "not-due" };
  const keepAlive = setInterval(() => {
    // A renewal that fails shows in the next commit, which checks the lease.
    parts.store.polls.renew(key, claim.lease).catch(() => {});
  }, RENEW_EVERY_MS);
  const progress = { pages: 0 };
  try {
    await prepareSeries(parts.store, query, parts.rulesFor(query));
    const state = (claim.state as PollState | null) ?? NEW_POLL;
    const begun = await replay(parts, { key, query, lease: claim.lease }, state);
    const quirks = await parts.quirkLog.quirks();
    const settings = observedSettings(parts.settings(query, key.poll), quirks, key.poll, startedAt);
    const run = { key, query, lease: claim.lease, startedAt, signal, progress, settings };
    return await pollPages(parts, run, isOutdated(begun, settings) ? abandonPoll(begun, settings) : begun);
  } catch (error) {
    const { retryable = true, retryAfterMs, isPostponed } = error as PollError;
    if (isPostponed === true) {
      await parts.store.polls.postpone(key, claim.lease, retryAfterMs ?? 0);
      return { outcome: "postponed", because: describeError(error) };
    }
    if (progress.pages === 0 && parts.isShared !== true)
      await skipPage(parts, { key, query, lease: claim.lease, signal }, claim, error);
    const delayMs = retryDelayMs(claim.failures + 1, retryAfterMs ?? undefined, Math.random());
    await parts.store.polls.fail(key, claim.lease, describeError(error), delayMs);
    return { outcome: "broken-off", error: describeError(error), retryable };
  } finally {
    clearInterval(keepAlive);
  }
}

interface PollError {
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | null;
  readonly isPostponed?: boolean;
}

const RENEW_EVERY_MS = 3_000;

/** Requested replays of dead letters come first. */
async function replay(
  parts: PollParts,
  run: { readonly key: PollKey; readonly query: WatchedQuery; readonly lease: string },
  state: PollState,
): Promise<PollState> {
  const prepare = (page: SourcePage) =>
    preparePage(parts.rulesFor(run.query), parts.store.mentions.rowsOf, page);
  const replayed = await replayDeadLetters({ ...parts, prepare }, run, state);
  if (replayed.pending.length > 0) await parts.onPending(replayed.pending);
  return replayed.state;
}

/** The failure is recorded in both cases; skipping the page is no new failure. */
async function skipPage(
  parts: PollParts,
  run: Parameters<typeof skipPoisonPage>[1],
  claim: { readonly state: unknown; readonly failures: number },
  error: unknown,
): Promise<void> {
  const state = (claim.state as PollState | null) ?? NEW_POLL;
  await skipPoisonPage(parts, run, state, { error, tries: claim.failures + 1 }).catch(() => false);
}
