import { HOUR, type Instant, SECOND } from "./instant.ts";

/**
 * Whether a failure is temporary (a connection, a lock, a full disk) and not caused by the work itself. SQLSTATE
 * classes 08, 40, 53, 55, 57 and 58 are about the server; a code of the network begins with E. If an error has
 * `retryable`, that decides.
 */
export function isTransient(error: unknown): boolean {
  for (let one = error; typeof one === "object" && one !== null; one = Reflect.get(one, "cause")) {
    if (Reflect.get(one, "isTransient") === true) return true;
    const retryable: unknown = Reflect.get(one, "retryable");
    if (typeof retryable === "boolean") return retryable;
    const code: unknown = Reflect.get(one, "code");
    if (typeof code === "string" && (/^(08|40|53|55|57|58)/.test(code) || /^E[A-Z]{3,}/.test(code)))
      return true;
  }
  return false;
}

const BASE_MS = 1_000;
const CAP_MS = 60_000;

/**
 * How long a failed job waits: as long as the vendor asked, else 1 s, 2 s, 4 s … up to a minute, minus up to a half at
 * random, so that jobs that failed together do not return together.
 *
 * @param attempt tries made so far, from 1
 * @param random from 0 to 1
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  if (retryAfterMs !== undefined) return Math.max(0, Math.ceil(retryAfterMs));
  const full = Math.min(BASE_MS * 2 ** (attempt - 1), CAP_MS);
  return Math.round(full * (1 - random / 2));
}

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
