import { type Instant, SECOND } from "../../lib/instant.ts";
import { LONGEST_WAIT_MS, readRetryAfter } from "../../lib/retry.ts";

/**
 * How long a server wants to be left alone, by the headers of its answer, in milliseconds; null if it says nothing.
 * `X-RateLimit-Reset` counts when at most `few` calls are left; some servers give it in seconds, some as a date.
 */
export function askedPause(header: (name: string) => string | null, now: Instant, few = 0): number | null {
  const retryAfterMs = readRetryAfter(header("retry-after"), now);
  if (retryAfterMs !== null) return retryAfterMs;
  const remaining = header("x-ratelimit-remaining")?.trim() ?? "";
  const reset = header("x-ratelimit-reset")?.trim() ?? "";
  if (!/^\d+$/.test(remaining) || Number(remaining) > few || reset === "") return null;
  const at = /^\d{9,11}(?:\.\d+)?$/.test(reset) ? Number(reset) * SECOND : Date.parse(reset);
  // A clock that is wrong must not stop us for a day.
  return Number.isNaN(at) ? null : Math.min(Math.max(at - now, SECOND), LONGEST_WAIT_MS);
}
