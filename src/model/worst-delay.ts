import type { Instant } from "../lib/instant.ts";

/**
 * The longest delay of a mention with the current plan: it became visible just after the last poll and waits for the
 * next. Null before the first poll.
 */
export function worstDelayMs(
  poll: { readonly polledAt: Instant | null; readonly nextPollAt: Instant },
  now: Instant,
): number | null {
  return poll.polledAt === null ? null : Math.max(poll.nextPollAt, now) - poll.polledAt;
}
