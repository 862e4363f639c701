import { type Instant, MINUTE } from "../../lib/instant.ts";

/** added: mentions that are new to the query. updated: mentions that changed after they were seen. */
export type PollKind = "added" | "updated";

/** One of the two polls of a query. */
export interface PollKey {
  readonly projectId: string;
  readonly queryId: string;
  readonly poll: PollKind;
}

/**
 * The longest delay of a mention with the current plan: it became visible just after the last poll and waits for the
 * next. Null before the first poll.
 */
export function worstDelayMs(
  poll: { readonly polledAt: Instant | null; readonly nextPollAt: Instant },
  now: Instant,
): number | null {
  return poll.polledAt === null ? null : Math.max(poll.nextPollAt, now) - poll.polledAt;
}

/**
 * A stored moment further ahead of now than this was written by a clock that was ahead and has been set back. Clocks of
 * several machines differ by less.
 */
export const CLOCK_AHEAD_MS = MINUTE;

/** How far a clock was ahead when it wrote one of these moments; null: none is ahead of now. */
export function clockAheadMs(stamps: readonly (Instant | null)[], now: Instant): number | null {
  const aheadMs = Math.max(...stamps.map((at) => (at ?? now) - now));
  return aheadMs > CLOCK_AHEAD_MS ? aheadMs : null;
}

/** What one poll read of an arrival interval: the server's total, and what was stored. */
export interface CoverageInterval extends PollKey {
  readonly startedAt: Instant;
  readonly fromAt: Instant;
  readonly untilAt: Instant;
  /** The server's total; null if it gave none. */
  readonly claimed: number | null;
  /** Distinct mentions read. */
  readonly seen: number;
  /** Of those, new ones. */
  readonly stored: number;
  /** Read, but not storable; each is a dead letter with its reason. */
  readonly rejected: number;
  /** How many are missing. */
  readonly gap: number;
}

/** The limit of an account: `limit` calls in any rolling window of `periodMs`, shared by all its clients. */
export interface RateLimit {
  readonly limit: number;
  readonly periodMs: number;
}

/** The purpose of a call, most important first: crisis queries, polls, the shell; history and lists last. */
export const PRIORITIES = ["crisis", "live", "shell", "background"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The slots of a window that calls of one priority may take; `to` is included. */
export interface PrioritySlots {
  readonly from: number;
  readonly to: number;
}

/** Whether one call may ask for several queries at this source. */
export type Sharing = "untried" | "proven" | "refused";

/** The stored rate budget of an account. */
export interface CallBudget {
  /** Null: the account has no limit. */
  readonly limit: RateLimit | null;
  readonly learnedFrom: "assumed" | "client" | "answer";
  /** Used slots of the window that ends now, by us and, as far as the answers say, by others. */
  readonly used: number;
  readonly usedByOthers: number;
  /** Milliseconds until a refusal of the source ends; 0 if there is none. */
  readonly closedForMs: number;
  /** Refusals since the last call that was answered. */
  readonly refusals: number;
  /** Number of all planned calls, and how long ago the last one was due (null: never). */
  readonly turn: number;
  readonly pacedMsAgo: number | null;
  readonly sharing: Sharing;
  /** Milliseconds since the last try of a shared call; null: never. */
  readonly sharingTriedMsAgo: number | null;
}
