import { DAY, HOUR, MINUTE } from "../../lib/instant.ts";

/** From this many failures in a row on, a feed is tried seldom: the circuit is open. */
export const CIRCUIT_OPENS_AT = 6;
const SELDOM_MS = 6 * HOUR;
const LONGEST_MS = 2 * HOUR;

interface FetchOutcome {
  readonly everyMs: number;
  /** In a row, this one included; 0: it succeeded. */
  readonly failures: number;
  /** The server asked for it. */
  readonly retryAfterMs: number | null;
  /** The address is gone for good. */
  readonly isFinal: boolean;
}

/**
 * Until the next fetch, in milliseconds; null: never. Spread at random, so that feeds that were fetched together do not
 * stay together. A failure doubles the wait; a server that names a time is not asked before.
 *
 * @param random from 0 to 1
 */
export function decideNext(
  { everyMs, failures, retryAfterMs, isFinal }: FetchOutcome,
  random: number,
): number | null {
  if (isFinal) return null;
  if (failures === 0) return Math.max(retryAfterMs ?? 0, Math.round(everyMs * (0.95 + random / 10)));
  const isOpen = failures >= CIRCUIT_OPENS_AT;
  const base = Math.max(MINUTE, Math.min(everyMs, 15 * MINUTE));
  const full = isOpen
    ? Math.max(SELDOM_MS, everyMs)
    : Math.min(base * 2 ** (failures - 1), Math.max(LONGEST_MS, everyMs));
  // Never sooner than the server asked, and not all at that very moment.
  const wait = Math.round(full * (1 - random / 4));
  return retryAfterMs === null ? wait : Math.max(wait, Math.round(retryAfterMs * (1 + random / 10)));
}

const FIRST_READING_MS = 10 * MINUTE;

/**
 * Until a feed is asked again whose answer could not be read within bounds, or ended the process, in milliseconds: 10
 * minutes, then twice as long each time, up to a day.
 *
 * @param readings how often it was tried in a row, from 1
 */
export function nextReadingMs(readings: number): number {
  return Math.min(FIRST_READING_MS * 2 ** (readings - 1), DAY);
}

/** Later, hardly anybody deletes a post, and no source reports it any more. */
const CHECKED_FOR_MS = 30 * DAY;
export const FIRST_CHECK_MS = HOUR;

/**
 * Until a stored item is asked for again, in milliseconds; null: never. Deletes come early: each wait is half of the
 * age, which makes about 16 checks in 30 days. When nothing was learnt, it is asked for again in an hour.
 */
export function nextCheckMs(ageMs: number, isAnswered = true): number | null {
  if (ageMs >= CHECKED_FOR_MS) return null;
  return isAnswered ? Math.round(Math.max(FIRST_CHECK_MS / 2, ageMs / 2)) : FIRST_CHECK_MS;
}
