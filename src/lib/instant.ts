/**
 * A moment: milliseconds since 1970-01-01T00:00:00Z. All of Earshot passes moments as plain numbers, so that windows,
 * overlaps and deadlines are arithmetic; text in ISO 8601 exists only at input and output.
 */
export type Instant = number;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** In the year 9892. No stored moment is later, and PostgreSQL reads every one up to it. */
export const LATEST_INSTANT: Instant = 250e12;

/** `2026-02-17T07:36:05.000Z`. */
export function toIso(at: Instant): string {
  return new Date(at).toISOString();
}

/** `2026-02-17 07:36`, of UTC. */
export function utcMinute(at: Instant): string {
  return toIso(at).slice(0, 16).replace("T", " ");
}

/** `2026-02-17 07:36 UTC`. */
export function inUtc(at: Instant): string {
  return `${utcMinute(at)} UTC`;
}

/** `2026-02-17`, of UTC. */
export function utcDay(at: Instant): string {
  return toIso(at).slice(0, 10);
}

/** The start of the bucket of `widthMs` that holds `at` (buckets are aligned to the epoch). */
export function floorTo(at: Instant, widthMs: number): Instant {
  return Math.floor(at / widthMs) * widthMs;
}
