import { MINUTE } from "../lib/instant.ts";

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
