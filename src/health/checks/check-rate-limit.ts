import { formatDuration } from "../../lib/duration.ts";
import { type Instant, MINUTE } from "../../lib/instant.ts";
import type { Failure } from "../../model/failure.ts";

export type RateLimitVerdict =
  | { readonly outcome: "WithinLimit" }
  /** A short refusal, as any limit causes now and then. */
  | { readonly outcome: "LimitedBriefly" }
  | { readonly outcome: "LimitedForLong"; readonly since: Instant; readonly because: string };

/** After so long without a refusal, calls succeed again. */
const QUIET_AGAIN_MS = 5 * MINUTE;

/** Whether the account has been over its rate limit for longer than `longestMs`. */
export function checkRateLimit(
  failures: readonly Failure[],
  longestMs: number,
  now: Instant,
): RateLimitVerdict {
  const limited = failures.filter(
    ({ kind, reason, lastAgoMs }) =>
      kind === "call" && reason === "rate-limited" && lastAgoMs < QUIET_AGAIN_MS,
  );
  if (limited.length === 0) return { outcome: "WithinLimit" };
  const since = Math.min(...limited.map((one) => one.since));
  if (now - since < longestMs) return { outcome: "LimitedBriefly" };
  return {
    outcome: "LimitedForLong",
    since,
    because: `mentions are read late: the source has answered "too many calls" for ${formatDuration(now - since)}. Nothing is lost: what waits is read when the account may call again. Watch fewer queries, poll less often (source.pollEvery), or ask for a larger limit. Perhaps another program uses the same account`,
  };
}
