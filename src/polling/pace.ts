import { floorTo, type Instant } from "../lib/instant.ts";
import { stableHash } from "../lib/json.ts";
import type { PollKey } from "../model/poll.ts";

/**
 * When a poll is due again: the next moment of its own phase of the interval, so that queries that were first seen
 * together are not polled together for ever. At most `everyMs` away.
 */
export function nextPollAt(key: PollKey, now: Instant, everyMs: number): Instant {
  const hash = Number.parseInt(stableHash([key.projectId, key.queryId, key.poll]).slice(0, 12), 16);
  const slot = floorTo(now, everyMs) + (hash % everyMs);
  return slot > now ? slot : slot + everyMs;
}
