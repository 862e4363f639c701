import { floorTo, type Instant } from "../../lib/instant.ts";
import { stableHash } from "../../lib/json.ts";
import { BUCKET_MS } from "../model/judging.ts";
import type { PollKey } from "../model/poll.ts";
import { type PollRequest, type PollState, requestOf } from "../model/poll-state.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { ObservedQuirk } from "../model/server-quirk.ts";
import { withCarried } from "./commit-part.ts";
import { type Coverage, gapOfCall } from "./coverage.ts";
import type { PageSource } from "./next-page.ts";
import { paramsOf } from "./page-request.ts";
import { fetchFailure, isRefusal } from "./poll-call.ts";
import type { CompletePoll, PollMember } from "./poll-member.ts";
import type { PollParts } from "./poll-parts.ts";
import { quirksOfPoll } from "./server-quirks.ts";

/** Stores that a poll has ended, what it covers, and what it showed of the server. */
export async function finishPoll(
  parts: PollParts,
  member: PollMember,
  ended: { readonly state: PollState; readonly coverage: Coverage; readonly revision: string | null },
  call: { readonly isShared: boolean; readonly signal: AbortSignal },
): Promise<CompletePoll> {
  const { key, query, lease, startedAt, counts, rereadFrom } = member;
  const { coverage, revision } = ended;
  const { version = null } = parts;
  const { added, changed, rejected } = withCarried(member);
  const read = revision === null ? {} : { read: { revision, at: startedAt, version } };
  const state: PollState = { ...ended.state, gap: gapOfCall(ended.state.gap, call.isShared), ...read };
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
      stored: added,
      rejected,
      gap: coverage.outcome === "Gap" ? coverage.missing : 0,
    });
    const nextAt = nextPollAt(key, startedAt, parts.everyMs(key.poll));
    await facts.polls.finish(key, lease, { completeUntil, polledAt: startedAt, nextAt, rereadFrom });
  });
  await learn(parts, member, ended, call);
  const closed = completeUntil !== null && floorTo(completeUntil, BUCKET_MS) > query.tickedUntil;
  const { pages } = counts;
  const windowsDue = key.poll === "added" && closed;
  return { outcome: "Complete", pages, added, changed, windowsDue, startedAt };
}

/** Quirks are useful, but storing them must never fail a poll. */
async function learn(
  { source }: PollParts,
  { key, query, stored, counts }: PollMember,
  { state, coverage }: { readonly state: PollState; readonly coverage: Coverage },
  { isShared, signal }: { readonly isShared: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { quirkLog } = source;
  try {
    // The total of shared pages belongs to all their queries together, and to none alone.
    const found = quirksOfPoll(key.poll, { after: state, coverage }, counts).filter(
      ({ quirk }) => !isShared || quirk !== "total",
    );
    const isTried = isShared || (await quirkLog.quirks()).has("after-end");
    const tail = isTried || counts.added === 0 ? null : (stored.tail ?? null);
    const tried = tail === null ? [] : await tryTail(source, query, requestOf(key.poll, tail), signal);
    await quirkLog.note([...found, ...tried]);
  } catch {
    // It will be detected again.
  }
}

/**
 * Follows the cursor of a last page once, when something is known to have come since. One call in the life of an
 * account. The result is shown, and no poll relies on it: mentions that are indexed late lie behind such a cursor.
 */
async function tryTail(
  source: PageSource,
  query: WatchedQuery,
  request: PollRequest,
  signal: AbortSignal,
): Promise<readonly ObservedQuirk[]> {
  try {
    const params = paramsOf([query], request, source.pageSize, request.cursor);
    // It can wait: nobody relies on it.
    const page = await source.clients.background.mentionsPage(params, { signal });
    const rows = page.mentions.length + page.rejected.length;
    return [{ quirk: "after-end", value: rows > 0 ? "resumes" : "silent" }];
  } catch (error) {
    return isRefusal(fetchFailure(error)) ? [{ quirk: "after-end", value: "refused" }] : [];
  }
}

/**
 * When a poll is due again: the next moment of its own phase of the interval, so that queries that were first seen
 * together are not polled together for ever. At most `everyMs` away.
 */
export function nextPollAt(key: PollKey, now: Instant, everyMs: number): Instant {
  const hash = Number.parseInt(stableHash([key.projectId, key.queryId, key.poll]).slice(0, 12), 16);
  const slot = floorTo(now, everyMs) + (hash % everyMs);
  return slot > now ? slot : slot + everyMs;
}
