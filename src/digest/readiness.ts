import type { Instant } from "../lib/instant.ts";
import type { Period } from "./schedule.ts";

/** Whether a due digest can be built. */
export type Readiness =
  | { readonly outcome: "Complete" }
  /** Queries are still being read up to the end of the period. */
  | { readonly outcome: "Waits"; readonly until: Instant }
  /** The wait is over; the digest says up to when it is complete. */
  | { readonly outcome: "Incomplete"; readonly missingFrom: Instant };

/**
 * A digest waits until all its queries have been read to the end of its period, but not for ever: if the source is
 * down, readers still get what is known.
 *
 * @param completeUntil the least over all its queries; `null` when one has never been read
 */
export function readinessOf(
  period: Period,
  completeUntil: Instant | null,
  now: Instant,
  patienceMs: number,
): Readiness {
  if (completeUntil !== null && completeUntil >= period.to) return { outcome: "Complete" };
  const until = period.to + patienceMs;
  if (now < until) return { outcome: "Waits", until };
  return { outcome: "Incomplete", missingFrom: Math.max(completeUntil ?? period.from, period.from) };
}
