import { floorTo } from "../lib/instant.ts";
import { BUCKET_MS } from "../model/count-change.ts";
import type { Coverage } from "./coverage.ts";
import { nextPollAt } from "./pace.ts";
import type { CompletePoll, PollMember } from "./poll-member.ts";
import type { PollParts } from "./poll-parts.ts";
import type { PollState } from "./poll-state.ts";
import { quirksOfPoll } from "./quirks-of-poll.ts";
import { tryTail } from "./try-tail.ts";

/** Stores that a poll has ended, what it covers, and what it showed of the server. */
export async function finishPoll(
  parts: PollParts,
  member: PollMember,
  ended: { readonly state: PollState; readonly coverage: Coverage },
  call: { readonly isShared: boolean; readonly signal: AbortSignal },
): Promise<CompletePoll> {
  const { key, query, lease, startedAt, counts } = member;
  const { state, coverage } = ended;
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
  await learn(parts, member, ended, call);
  const closed = completeUntil !== null && floorTo(completeUntil, BUCKET_MS) > query.tickedUntil;
  const { pages, added, changed } = counts;
  const windowsDue = key.poll === "added" && closed;
  return { outcome: "complete", pages, added, changed, windowsDue, startedAt };
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
    const tried =
      tail === null
        ? []
        : await tryTail(tail, (request) => source.firstPage(query, request, signal), key.poll);
    await quirkLog.note([...found, ...tried]);
  } catch {
    // It will be detected again.
  }
}
