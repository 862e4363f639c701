import type { ReceiveResult } from "#listening-api";
import { describeError } from "../../lib/errors.ts";
import { isTransient } from "../../lib/retry.ts";
import { FeedError, UnreadableError } from "../common/feed-error.ts";
import { claimFeed, closeHost, endFetch, endUnread, type LeasedFeed, releaseFeed } from "../store/feeds.ts";
import { decideNext } from "./decide-next.ts";
import { type FeedWork, LeaseLostError } from "./feed-work.ts";
import { fetchLeased } from "./fetch-leased.ts";
import type { PlannedFeed } from "./plan-feeds.ts";
import { HostClosedError } from "./read-part.ts";

/** Fetches one due feed of these. Null if none is due; `received` is null if the fetch has failed. */
export async function fetchNext(
  work: FeedWork,
  byKey: ReadonlyMap<string, PlannedFeed>,
): Promise<{ readonly feed: PlannedFeed; readonly received: ReceiveResult | null } | null> {
  const { db, project, log, signal } = work;
  const leased = await claimFeed(db, project.id, [...byKey.keys()], work.leaseMs);
  const feed = leased === null ? undefined : byKey.get(leased.key);
  if (leased === null || feed === undefined) return null;
  const progress = { state: leased.state };
  try {
    return { feed, received: await fetchLeased(work, feed, leased, progress) };
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
    await endWithProblem(work, feed, { ...leased, ...progress }, error);
    return { feed, received: null };
  }
}

async function endWithProblem(
  { db, project, log, random }: FeedWork,
  feed: PlannedFeed,
  leased: LeasedFeed,
  error: unknown,
): Promise<void> {
  const isFeedError = error instanceof FeedError;
  const unknown = { retryAfterMs: null, isFinal: false, hostPauseMs: null };
  const { retryAfterMs, isFinal, hostPauseMs } = isFeedError ? error : unknown;
  const failures = leased.failures + 1;
  const nextInMs = decideNext({ everyMs: leased.everyMs, failures, retryAfterMs, isFinal }, random());
  const problem = isFeedError ? error.message : `it could not be read: ${describeError(error)}`.slice(0, 500);
  const details = { feed: feed.name, problem, failures };
  if (isFeedError) log.info(details, "a feed could not be fetched");
  else log.error(details, "a feed could not be read: this is a fault of Earshot");
  // The host has asked all of us to wait. One address that is broken says nothing of the others.
  if (hostPauseMs !== null) await closeHost(db, feed.host, hostPauseMs);
  if (error instanceof UnreadableError) return endUnread(db, project.id, leased, problem);
  await endFetch(db, project.id, leased, { state: leased.state, nextInMs, problem, items: 0, matched: 0 });
}
