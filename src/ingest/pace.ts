import { floorTo, type Instant } from "../lib/instant.ts";
import { stableHash } from "../lib/stable-hash.ts";
import type { WalkKey, WalkName } from "../model/walk.ts";

/** What the account allows: `limit` calls in any rolling window of `periodMs`, shared by everybody who uses it. */
export interface RateLimit {
  readonly limit: number;
  readonly periodMs: number;
}

/** How often people want each walk, at most. */
export interface WantedPace {
  readonly pollEveryMs: number;
  readonly updatesEveryMs: number;
}

/** Calls are kept for digests, the shell and other users of the account. */
const SHARE_OF_BUDGET = 0.8;

/**
 * How often each query is walked: as wanted, or slower by one factor for all where the account's limit does not allow
 * so many calls. A walk is counted as one call, as it is outside backlogs.
 */
export function paceOf(
  wanted: WantedPace,
  queries: number,
  limit: RateLimit | null,
): Readonly<Record<WalkName, number>> {
  const { pollEveryMs, updatesEveryMs } = wanted;
  if (limit === null || queries === 0) return { added: pollEveryMs, updated: updatesEveryMs };
  const callsPerMs = queries * (1 / pollEveryMs + 1 / updatesEveryMs);
  const allowedPerMs = (limit.limit * SHARE_OF_BUDGET) / limit.periodMs;
  const slower = Math.max(1, callsPerMs / allowedPerMs);
  return { added: Math.ceil(pollEveryMs * slower), updated: Math.ceil(updatesEveryMs * slower) };
}

/**
 * When a walk is due again: the next moment of its own phase of the interval, so that queries which were first seen
 * together are not polled together for ever. At most `everyMs` away.
 */
export function nextPollAt(key: WalkKey, now: Instant, everyMs: number): Instant {
  const hash = Number.parseInt(stableHash([key.projectId, key.queryId, key.walk]).slice(0, 12), 16);
  const slot = floorTo(now, everyMs) + (hash % everyMs);
  return slot > now ? slot : slot + everyMs;
}
