import type { Clock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import type { Instant } from "../lib/instant.ts";
import { retryDelayMs } from "../lib/retry-delay.ts";
import { matchKey } from "../model/match.ts";
import { eventAt, type Mention } from "../model/mention.ts";
import type { OwedNotification } from "../model/notification.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { WalkKey } from "../model/walk.ts";
import type { Directory } from "../notify/tell.ts";
import type { Rule } from "../rules/rule.ts";
import { judgePage, type MentionEvidence } from "./judge-page.ts";
import type { IngestFacts, IngestStore } from "./ports.ts";
import { prepareSeries } from "./prepare-series.ts";
import { recordObservations, type Sighting, sightingOf } from "./record-observations.ts";
import { recordTelling } from "./record-telling.ts";
import { storyKey } from "./story.ts";
import {
  advanceWalk,
  beginWalk,
  endWalk,
  type WalkRequest,
  type WalkState,
  type WalkTerms,
} from "./watermark.ts";

/** One answer of the source, reduced to what ingest needs of it. */
export interface SourcePage {
  readonly mentions: readonly Mention[];
  readonly rejected: readonly { readonly resourceId: string | null; readonly reason: string }[];
  readonly nextCursor: string | null;
  readonly total: number | null;
}

export interface PollParts {
  readonly store: IngestStore;
  /** The pages of one walk, in order. Throws errors with `retryable` and `retryAfterMs`. */
  readonly walkPages: (query: Query, request: WalkRequest, signal: AbortSignal) => AsyncIterable<SourcePage>;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly directory: Directory;
  readonly clock: Clock;
  /** Overlap, look-back and settle time of the walks. */
  readonly terms: (walk: WalkKey["walk"], query: WatchedQuery) => WalkTerms;
  /** How long after the start of a walk its query is due again, in domain time. */
  readonly everyMs: (walk: WalkKey["walk"]) => number;
  /** Told after the commit that notifications are due. */
  readonly onOwed: (owed: readonly OwedNotification[]) => Promise<void>;
}

export type PollOutcome =
  /** Somebody else walks it, or it was walked meanwhile. */
  | { readonly outcome: "not-due" }
  | { readonly outcome: "complete"; readonly pages: number; readonly added: number; readonly changed: number }
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
  try {
    return await walk(
      parts,
      { key, query, lease: claim.lease, startedAt, signal },
      claim.state as WalkState | null,
    );
  } catch (error) {
    const { retryable = true, retryAfterMs } = error as { retryable?: boolean; retryAfterMs?: number | null };
    const delayMs = retryDelayMs(claim.failures + 1, retryAfterMs ?? undefined, Math.random());
    await parts.store.walks.fail(key, claim.lease, describeError(error), delayMs);
    return { outcome: "broken-off", error: describeError(error), retryable };
  } finally {
    clearInterval(keepAlive);
  }
}

const RENEW_EVERY_MS = 3_000;

interface Walking {
  readonly key: WalkKey;
  readonly query: WatchedQuery;
  readonly lease: string;
  readonly startedAt: Instant;
  readonly signal: AbortSignal;
}

async function walk(parts: PollParts, walking: Walking, stored: WalkState | null): Promise<PollOutcome> {
  const { key, query, startedAt } = walking;
  const terms = parts.terms(key.walk, query);
  await prepareSeries(parts.store, query, parts.rulesFor(query));
  const begun = beginWalk(stored, terms, startedAt);
  const tally = { pages: 0, added: 0, changed: 0 };
  let { state } = begun;
  for await (const page of parts.walkPages(query, begun.request, walking.signal)) {
    const advanced = advanceWalk(state, page);
    const committed = await commitPage(parts, walking, page, advanced);
    state = advanced;
    tally.pages += 1;
    tally.added += committed.added;
    tally.changed += committed.changed;
    if (committed.owed.length > 0) await parts.onOwed(committed.owed);
  }
  const ended = endWalk(state, terms);
  await parts.store.transaction(async (facts) => {
    await facts.walks.advance(key, walking.lease, ended.state);
    await facts.coverage.record({ ...key, ...ended.coverage, startedAt, stored: tally.added });
    await facts.walks.finish(key, walking.lease, {
      completeUntil: ended.completeUntil,
      polledAt: startedAt,
      nextAt: startedAt + parts.everyMs(key.walk),
    });
  });
  return { outcome: "complete", ...tally };
}

/** One page: its mentions, the counts they add to, the alerts they cause, what those owe, and the cursor. */
async function commitPage(
  parts: PollParts,
  walking: Walking,
  page: SourcePage,
  state: WalkState,
): Promise<{ added: number; changed: number; owed: readonly OwedNotification[] }> {
  const { key, query, lease } = walking;
  const rows = page.mentions.map((mention) => ({
    mention,
    eventAt: eventAt(mention),
    story: storyKey(mention),
  }));
  return parts.store.transaction(async (facts) => {
    // The lock comes first: counts go to buckets that are still open, and alerts are moved by one worker at a time.
    const locked = (await facts.queries.lock(key.projectId, key.queryId)) ?? query;
    await facts.walks.advance(key, lease, state);
    const seenAt = parts.clock.now();
    const outcome = await facts.mentions.storePage(key.projectId, rows, seenAt);
    await facts.coverage.setAside(key.projectId, key.queryId, seenAt, page.rejected);
    const changes = [
      ...outcome.added.map((index) => ({ before: null, after: mentionAt(page, index) })),
      ...outcome.changed.map(({ index, before }) => ({ before, after: mentionAt(page, index) })),
    ];
    const counted = await facts.counts.series(key.projectId, key.queryId);
    const judged = judgePage(parts.rulesFor(query), locked, counted, changes);
    await facts.counts.add(key.projectId, key.queryId, judged.counts);
    const moved = await recordObservations(
      facts.alerts,
      locked,
      await sightings(facts, locked, judged.evidence),
    );
    const owed = await recordTelling(facts, parts, locked, moved);
    return { added: outcome.added.length, changed: outcome.changed.length, owed };
  });
}

function mentionAt(page: SourcePage, index: number): Mention {
  const mention = page.mentions[index];
  if (mention === undefined)
    throw new RangeError(`the store speaks of mention ${index} of ${page.mentions.length}`);
  return mention;
}

/** In order of time, and without what a rule has told about before. */
async function sightings(
  facts: IngestFacts,
  query: WatchedQuery,
  evidence: readonly MentionEvidence[],
): Promise<Sighting[]> {
  const known = await facts.alerts.alreadyMatched(
    query.projectId,
    evidence.map(({ rule, mention }) => ({ rule: rule.name, mention })),
  );
  return evidence
    .filter(({ rule, mention }) => !known.has(matchKey(rule.name, mention)))
    .sort((a, b) => a.at - b.at)
    .map(({ rule, mention, at, because }) => ({
      ...sightingOf(rule, query, rule.labels(mention, query)),
      observe: () => ({
        kind: "evidence",
        at,
        mentions: 1,
        because,
        windowFrom: at,
        windowTo: at,
        values: {},
      }),
      mention,
    }));
}
