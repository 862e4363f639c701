import { type Instant, MINUTE } from "../../lib/instant.ts";
import { readRetryAfter } from "../../lib/retry.ts";
import { parseHttpDate } from "./wire-values.ts";

/** The rate budget of the client as one answer states it: `used` calls of `limit` in a rolling `periodMs`. */
export interface Budget {
  readonly limit: number;
  readonly periodMs: number;
  /** Null if the answer has the limit only. */
  readonly used: number | null;
}

const UNITS: Record<string, number> = { s: 1_000, m: MINUTE, h: 60 * MINUTE };

/** Reads `x-rate-limit: 30/10m` and `x-rate-limit-used: 4`. Null if they are missing or unreadable. */
export function readBudget(header: (name: string) => string | null): Budget | null {
  const match = /^\s*(\d{1,9})\s*\/\s*(\d{1,6})\s*([smh])?\s*$/.exec(header("x-rate-limit") ?? "");
  if (match === null) return null;
  const limit = Number(match[1]);
  const periodMs = Number(match[2]) * (UNITS[match[3] ?? "m"] ?? MINUTE);
  if (limit === 0 || periodMs === 0) return null;
  const used = /^\s*(\d{1,9})\s*$/.exec(header("x-rate-limit-used") ?? "");
  return { limit, periodMs, used: used === null ? null : Number(used[1]) };
}

/** What one exchange said about the rate budget. */
export interface ExchangeEnd {
  /** Null: no answer came. */
  readonly status: number | null;
  readonly budget: Budget | null;
  /** When to come again, after a refusal (429). */
  readonly retryAfterMs: number | null;
}

/** Guards the rate budget of the account: no request is sent without its permission, logins included. */
export interface Gate {
  /** Resolves when the exchange may begin, with a function to call at its end. Rejects when it may not begin. */
  enter(call: string, signal?: AbortSignal): Promise<(end: ExchangeEnd) => Promise<void>>;
}

/** For a client without a budget to guard. */
export const OPEN_GATE: Gate = { enter: async () => async () => {} };

/** How an exchange ended that brought this answer. */
export function exchangeEnd(
  { status, header }: { readonly status: number; readonly header: (name: string) => string | null },
  now: Instant,
): ExchangeEnd {
  return { status, budget: readBudget(header), retryAfterMs: status === 429 ? namedWait(header, now) : null };
}

/**
 * How long the answer asks to wait; null: it names no time, or one that is over already, since calls that are sent again
 * at once would be refused without end. A date is held against the server's own clock, which may be hours off.
 */
export function namedWait(header: (name: string) => string | null, now: Instant): number | null {
  const waitMs = readRetryAfter(header("retry-after"), parseHttpDate(header("date")) ?? now);
  return waitMs === 0 ? null : waitMs;
}

export const NO_ANSWER: ExchangeEnd = { status: null, budget: null, retryAfterMs: null };
