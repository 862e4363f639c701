import { HOUR, type Instant, SECOND } from "./instant.ts";

/** A longer wait is cut to this: one odd header must not stop us for a day. */
export const LONGEST_WAIT_MS = HOUR;

/** `Retry-After` as milliseconds from `now`: seconds or an HTTP date. Null if it is missing or unreadable. */
export function readRetryAfter(value: string | null, now: Instant): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * SECOND, LONGEST_WAIT_MS);
  // Only the date forms of HTTP, which begin with a weekday: Date.parse alone would take "-5" for a year.
  const at = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), LONGEST_WAIT_MS);
}
