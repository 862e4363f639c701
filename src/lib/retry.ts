import { HOUR, type Instant, SECOND } from "./instant.ts";

/**
 * A failure that was classified where it happened, by code that knows the vendor. Any other error was not expected: it
 * may be tried again, and the work itself may be its cause.
 */
export abstract class ClassifiedError extends Error {
  /** Whether the same work may succeed later. */
  readonly retryable: boolean;
  /** The least wait that was asked for; null if none was. */
  readonly retryAfterMs: number | null;
  constructor(
    message: string,
    { retryable, retryAfterMs = null }: { retryable: boolean; retryAfterMs?: number | null | undefined },
  ) {
    super(message);
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What is temporary about a failure. */
export type TransientCode =
  /** The server cannot be reached, or has hung up. */
  | "ConnectionFailed"
  /** No connection was there in time: the server does not answer, or all of the pool's are in use. */
  | "NotConnected"
  /** Two transactions were in each other's way. */
  | "Conflict"
  /** The server has no memory, disk or connection left. */
  | "OutOfResources"
  /** Somebody else holds the lock. */
  | "Locked"
  /** The statement took longer than it may, or somebody ended it. */
  | "Canceled"
  /** The server is starting, or is stopping. */
  | "ServerStopped"
  /** The server's disk or files fail. */
  | "SystemFault"
  /** Another worker has taken over the work: it goes on there, and nothing is to be tried again here. */
  | "LeaseLost";

/** A failure of the world around the work (a connection, a lock, a full disk), and not of the work itself. */
export class TransientError extends ClassifiedError {
  override readonly name: string = "TransientError";
  readonly code: TransientCode;
  constructor(code: TransientCode, message: string) {
    super(message, { retryable: code !== "LeaseLost" });
    this.code = code;
  }
}

/** Whether a failure, or what caused it, is temporary and says nothing about the work. */
export function isTransient(error: unknown): boolean {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof TransientError) return true;
    if (one instanceof ClassifiedError) return one.retryable;
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
export function readRetryAfter(
  value: string | null,
  now: Instant,
  mostMs: number = LONGEST_WAIT_MS,
): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * SECOND, mostMs);
  // Only the date forms of HTTP, which begin with a weekday: Date.parse alone would take "-5" for a year.
  const at = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), mostMs);
}
