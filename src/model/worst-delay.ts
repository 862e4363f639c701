import type { Instant } from "../lib/instant.ts";

/**
 * How long a mention waits at most, as the plan stands, before it is seen: one that became visible just after the last
 * poll, until the next. Null before the first poll.
 */
export function worstDelayMs(
  poll: { readonly polledAt: Instant | null; readonly nextPollAt: Instant },
  now: Instant,
): number | null {
  return poll.polledAt === null ? null : Math.max(poll.nextPollAt, now) - poll.polledAt;
}
