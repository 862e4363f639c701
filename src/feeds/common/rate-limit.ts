import { DAY, type Instant, SECOND } from "../../lib/instant.ts";
import { LONGEST_WAIT_MS, readRetryAfter } from "../../lib/retry.ts";

/**
 * How long a server wants to be left alone, by the headers of its answer, in milliseconds; null if it says nothing.
 * `X-RateLimit-Reset` counts when at most `few` calls are left; some servers give it in seconds since 1970, some in seconds
 * from now (Reddit, whose calls left may be `0.0`), some as a date. `Retry-After` is obeyed for a day.
 */
export function askedPause(header: (name: string) => string | null, now: Instant, few = 0): number | null {
  const retryAfterMs = readRetryAfter(header("retry-after"), now, DAY);
  if (retryAfterMs !== null) return retryAfterMs;
  const remaining = header("x-ratelimit-remaining")?.trim() ?? "";
  const reset = header("x-ratelimit-reset")?.trim() ?? "";
  if (!/^\d+(?:\.\d+)?$/.test(remaining) || Number(remaining) > few) return null;
  if (/^\d{1,6}(?:\.\d+)?$/.test(reset))
    return Math.min(Math.max(Number(reset) * SECOND, SECOND), LONGEST_WAIT_MS);
  const at = /^\d{9,11}(?:\.\d+)?$/.test(reset) ? Number(reset) * SECOND : Date.parse(reset);
  // A clock that is wrong must not stop us for a day.
  return Number.isNaN(at) ? null : Math.min(Math.max(at - now, SECOND), LONGEST_WAIT_MS);
}
