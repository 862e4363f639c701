import { type Instant, SECOND } from "./instant.ts";

/**
 * `Retry-After` as milliseconds from `now`: seconds or an HTTP date, and no more than `mostMs`. Null where it is missing
 * or unreadable.
 */
export function readRetryAfter(value: string | null, now: Instant, mostMs: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,12}(\.\d+)?$/.test(text)) return Math.min(Number(text) * SECOND, mostMs);
  // Only the date forms of HTTP, which begin with a weekday: Date.parse alone would take "-5" for a year.
  const at = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), mostMs);
}
