import { HOUR, type Instant, MINUTE, SECOND } from "../lib/instant.ts";
import type { Budget } from "./budget.ts";

/** Whoever asks for more is asked again after this: a window is minutes, and one odd header must not blind us for a day. */
const LONGEST_MS = HOUR;

/** `Retry-After` as milliseconds from `now`: seconds or an HTTP date. Null where it is missing or unreadable. */
export function readRetryAfter(value: string | null, now: Instant): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * SECOND, LONGEST_MS);
  // Only the date forms of HTTP, which begin with a weekday: Date.parse alone would take "-5" for a year.
  const at = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), LONGEST_MS);
}

/**
 * How long to wait after a 429 that names no time. The window rolls, refused calls seem to count, and waits of twenty
 * seconds were seen to fail; so each call above the limit is given its share of the period, and never less than a
 * minute.
 */
export function waitForBudget(budget: Budget | null): number {
  if (budget === null) return MINUTE;
  const above = Math.max(0, (budget.used ?? budget.limit) - budget.limit) + 1;
  return Math.min(budget.periodMs, Math.max(MINUTE, (above * budget.periodMs) / budget.limit));
}
