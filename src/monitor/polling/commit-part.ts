import { type Instant, toIso } from "../../lib/instant.ts";
import { retryDelayMs } from "../../lib/retry.ts";
import { commitWithDeadLetters, NOTHING_COMMITTED } from "../ingest/commit-with-dead-letters.ts";
import type { PreparedPage } from "../ingest/prepare-page.ts";
import type { SourcePage } from "../ingest/source-page.ts";
import type { CarriedCounts, PageBody, PollState } from "../model/poll-state.ts";
import { nextPage } from "./next-page.ts";
import { isPostponement, isRefusal, openCall, type PollFailure } from "./poll-call.ts";
import type { LeasedPoll, PollMember, PollOutcome } from "./poll-member.ts";
import type { PollParts } from "./poll-parts.ts";
import { decideStep } from "./step-over.ts";
import { type AfterPage, abandonPoll, afterPage, nextCall, type PollSettings } from "./watermark.ts";

/**
 * Commits the member's part of a page with all its results in one transaction, which checks the lease: so two workers
 * never poll a query at once, and a worker that was thought dead never commits behind its successor. Returns whether
 * its poll continues.
 */
export async function commitPart(
  parts: PollParts,
  member: PollMember,
  prepared: PreparedPage,
): Promise<AfterPage> {
  const { state, settings, counts, stored } = member;
  const { page } = prepared;
  const known = member.repeats.count(page.mentions);
  // A run before this one may have had it.
  const repeated = (page.same?.times ?? 1) > 1 ? page.mentions.length + page.rejected.length : known;
  const after = afterPage(state, { ...measure(member, page, repeated), repeated }, settings);
  const committed = isEmpty(page)
    ? NOTHING_COMMITTED
    : await commitWithDeadLetters(parts, member, prepared, {
        before: resumable(page, state, state, settings),
        after: resumable(page, state, after.state, settings),
      });
  member.state = after.state;
  if (!isEmpty(page)) counts.pages += 1;
  counts.added += committed.added;
  counts.changed += committed.changed;
  counts.rejected += page.rejected.length;
  counts.repeated += repeated;
  counts.restamped += committed.restamped;
  counts.lateMs = Math.max(counts.lateMs, latenessOf(stored, committed.earliestAdded));
  if (committed.pending.length > 0) await parts.onPending(committed.pending);
  return after;
}

/** Gives back the lease of a poll that cannot continue now, and stores why and when it is due again. */
export async function breakOff(
  parts: PollParts,
  poll: LeasedPoll | PollMember,
  failure: PollFailure,
  call: { readonly isShared: boolean; readonly signal: AbortSignal },
): Promise<PollOutcome> {
  const { key, lease } = poll;
  const { polls } = parts.store;
  const { because, retryable, retryAfterMs } = failure;
  if ("state" in poll && cannotResume(poll.state, failure)) {
    const { state, settings } = poll;
    await polls.advance(key, lease, abandonPoll(state, settings));
  }
  const carried = "state" in poll ? carriedBy(poll) : null;
  if (isPostponement(failure)) {
    await polls.postpone(key, lease, retryAfterMs ?? 0, carried);
    return { outcome: "Postponed", because };
  }
  // A fault in a shared page may be another query's.
  if ("state" in poll && poll.counts.pages === 0 && !call.isShared) {
    const tries = poll.failures + 1;
    // The failure is recorded in any case; skipping the page is no new failure.
    await skipPoisonPage(parts, poll, { failure, tries }, call.signal).catch(() => false);
  }
  await polls.fail(
    key,
    lease,
    because,
    retryDelayMs(poll.failures + 1, retryAfterMs ?? undefined, Math.random()),
    carried,
  );
  return { outcome: "BrokenOff", error: because, retryable };
}

/** What this run of a poll and those before it have stored; null if this one stored nothing. */
function carriedBy(member: PollMember): CarriedCounts | null {
  const { added, changed, rejected } = member.counts;
  return added + changed + rejected === 0 ? null : withCarried(member);
}

/** What this run stored, with the runs of the same poll that broke off before it. */
export function withCarried({ counts, stored }: Pick<PollMember, "counts" | "stored">): CarriedCounts {
  const { added = 0, changed = 0, rejected = 0 } = stored.carried ?? {};
  return {
    added: counts.added + added,
    changed: counts.changed + changed,
    rejected: counts.rejected + rejected,
  };
}

/** A cursor that is refused today is refused tomorrow; the watermark is not. */
function cannotResume({ running }: PollState, failure: PollFailure): boolean {
  return failure.kind === "other-way" || (running?.cursor != null && isRefusal(failure));
}

function measure(member: PollMember, page: SourcePage, repeated: number) {
  let highest: Instant | null = page.shared?.highest ?? null;
  for (const mention of page.mentions) {
    const at = member.key.poll === "added" ? mention.addedAt : mention.updatedAt;
    if (highest === null || at > highest) highest = at;
  }
  const { nextCursor, pageSize, shared, same = null, revision = null } = page;
  const rows = page.mentions.length + page.rejected.length;
  const seen = (member.state.running?.seen ?? 0) + rows - repeated;
  const missing = shared?.missing ?? null;
  const total = shared === undefined ? page.total : missing === null ? null : seen + missing;
  const own = shared === undefined ? { revision, same } : {};
  return { highest, rows, total, nextCursor, pageSize, ...own };
}

/** A new mention behind a valid watermark has become visible late. */
function latenessOf({ watermark, gap }: PollState, earliestAdded: Instant | null): number {
  if (watermark === null || gap !== null || earliestAdded === null) return 0;
  return Math.max(0, watermark - earliestAdded);
}

/**
 * An interrupted shared poll restarts from its watermark. So does a poll whose cursor leads to itself, because the
 * server may have moved on by a page that was never committed.
 */
function resumable(page: SourcePage, before: PollState, state: PollState, settings: PollSettings): PollState {
  const isKeptThere = page.nextCursor !== null && page.nextCursor === before.running?.cursor;
  return page.shared === undefined && !isKeptThere ? state : abandonPoll(state, settings);
}

/** An empty page is not worth a transaction: the end of the poll writes its state. */
function isEmpty(page: SourcePage): boolean {
  return page.mentions.length === 0 && page.rejected.length === 0;
}

/**
 * Takes a poll past a page that always fails, and stores its interval as a dead letter. Only if the pages behind it can
 * be read: otherwise the whole source has a problem, and nothing is skipped. Returns whether the poll can continue.
 *
 * @param failed the page, and how often it failed in a row
 */
async function skipPoisonPage(
  parts: PollParts,
  { key, query, lease, stored }: PollMember,
  failed: { readonly failure: PollFailure; readonly tries: number },
  signal: AbortSignal,
): Promise<boolean> {
  const settings = parts.settings(query, key.poll);
  const now = parts.clock.now();
  const { failure, tries } = failed;
  const step = decideStep(stored, { kind: failure.kind, tries }, settings, now);
  if (step.outcome === "TriesAgain" || step.outcome === "TooFresh") return false;
  if (step.outcome === "BeginsAnew") {
    await parts.store.polls.advance(key, lease, step.state);
    return true;
  }
  const { request } = nextCall(key.poll, step.state, settings, now);
  const behind = await nextPage(parts.source, openCall([query], request, signal));
  if (behind.outcome === "Failed") return false;
  const body: PageBody = { poll: key.poll, from: step.from };
  await parts.store.transaction(async (facts) => {
    await facts.polls.advance(key, lease, step.state);
    await facts.deadLetters.add(
      {
        projectId: key.projectId,
        queryId: key.queryId,
        kind: "page",
        scope: `${key.poll} from ${toIso(step.from)} to ${toIso(step.to)}`,
        reason: failure.because.slice(0, 300),
        tries,
        body,
      },
      now,
    );
  });
  return true;
}
