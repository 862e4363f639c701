import type { Instant } from "../../lib/instant.ts";
import type { Mention } from "./mention.ts";
import type { PollKind } from "./poll.ts";

/** How a poll asks, as far as the server allows. */
export interface PollPath {
  /** desc: the newest first, down to what is known. Then the watermark moves only when the poll ends. */
  readonly direction: "asc" | "desc";
  /** Whether the start is sent, or only applied by us because the server ignores it. */
  readonly since: "sent" | "withheld";
  /** number: the server refuses its own cursors. */
  readonly pages: "cursor" | "number";
}

export const PLAIN_PATH: PollPath = { direction: "asc", since: "sent", pages: "cursor" };

/** The stored state of a poll, written in the transaction of the page that led to it. */
export interface PollState {
  /** The highest `added` (or `updated`) seen, but never ahead of our own clock. Moves back only if that clock does. */
  readonly watermark: Instant | null;
  /** Everything that arrived before this has been seen. Moves when a poll ends, and never back. */
  readonly completeUntil: Instant | null;
  /** A poll that has begun and not ended. */
  readonly running: RunningPoll | null;
  /** Mentions that the server counts and a poll did not see; polled again until they are found. */
  readonly gap: PollGap | null;
  /** Where to resume a poll that was abandoned in the middle, if that is further than its watermark. */
  readonly continueFrom?: Instant;
  /** Where the poll began that resumes there. */
  readonly passFrom?: Instant;
  /** The next poll asks for pages by number: with cursors it reached the same point twice. */
  readonly byNumber?: boolean;
  /** How often it skipped a page that always fails, since the last poll that ended; none if absent. */
  readonly stepped?: number;
  /** What runs of this poll stored that broke off: the run that ends it counts it. */
  readonly carried?: CarriedCounts;
  /** The last page's cursor and the poll it belongs to, if it had one. */
  readonly tail?: PollTail | null;
  /** What the last poll that ended has read, if the source says how often the query was written to. */
  readonly read?: ReadRevision;
}

/** New mentions, and rows that could not be stored. */
export interface CarriedCounts {
  readonly added: number;
  readonly changed: number;
  readonly rejected: number;
}

/** Everything up to a revision of the query's mentions was read by a poll. */
interface ReadRevision {
  readonly revision: string;
  /** When that poll started, and the version of the configuration that it ran by; null: nobody reports one. */
  readonly at: Instant;
  readonly version: string | null;
}

/** A page, and how often it came without another in between. */
export interface SamePage {
  readonly print: string;
  readonly times: number;
}

export interface PollGap {
  readonly from: Instant;
  /** How often it was polled again in vain. The first times at once, while nothing is claimed; then ever less often. */
  readonly tries: number;
  readonly missing?: number;
  /** A shared call noticed it: the next one reads it again, before each of its queries has a call of its own. */
  readonly together?: boolean;
  /** When it was noticed, and when it is polled again. */
  readonly noticedAt?: Instant;
  readonly nextAt?: Instant;
}

type PollTail = Pick<RunningPoll, "since" | "startDate" | "endDate"> & { readonly cursor: string };

/** The parameters, because a cursor is only valid with the same ones. */
export interface RunningPoll {
  readonly startedAt: Instant;
  readonly since: Instant;
  readonly startDate: Instant;
  readonly endDate: Instant;
  /** Null before the first page. */
  readonly cursor: string | null;
  readonly total: number | null;
  readonly seen: number;
  /** Where it began, if it resumes one that was abandoned in the middle. */
  readonly passFrom?: Instant;
  /** Plain where absent. */
  readonly path?: PollPath;
  /** Highest moment on its own pages; absent before the first row. */
  readonly highest?: Instant | null;
  /** The page before, and how often it came; null or absent: nothing to tell it by. */
  readonly same?: SamePage | null;
  /** Of the query's mentions, from before the first page was read; absent if the source says none. */
  readonly revision?: string;
}

/** The body of a page's dead letter: where its poll has to begin again. */
export interface PageBody {
  readonly poll: PollKind;
  readonly from: Instant;
}

export const NEW_POLL: PollState = { watermark: null, completeUntil: null, running: null, gap: null };

/** Whether the newest comes first. */
export function isDown({ path }: RunningPoll): boolean {
  return path?.direction === "desc";
}

/** Parameters of the mentions call, in the names of the API, and what else the call needs. */
export interface PollRequest {
  readonly startDate: Instant;
  readonly endDate: Instant;
  readonly orderBy: PollKind;
  readonly orderDirection: "asc" | "desc";
  readonly cursor: string | null;
  readonly sinceAdded?: Instant;
  readonly sinceUpdated?: Instant;
  readonly path: PollPath;
}

export function requestOf(
  kind: PollKind,
  poll: Pick<RunningPoll, "since" | "startDate" | "endDate" | "cursor" | "path">,
): PollRequest {
  const { startDate, endDate, cursor, since, path = PLAIN_PATH } = poll;
  return {
    startDate,
    endDate,
    orderBy: kind,
    orderDirection: path.direction,
    cursor,
    ...(kind === "added" ? { sinceAdded: since } : { sinceUpdated: since }),
    path,
  };
}

/** The quirk that says how a server treats the start of the requested time range. */
export function sinceQuirk({ orderBy }: PollRequest): "since-added" | "since-updated" {
  return `since-${orderBy}`;
}

/** The start of the requested range; the beginning of time if absent. */
export function sinceOf({ sinceAdded, sinceUpdated }: PollRequest): Instant {
  return sinceAdded ?? sinceUpdated ?? Number.NEGATIVE_INFINITY;
}

/** The moment by which the poll is ordered. */
export function momentOf({ orderBy }: Pick<PollRequest, "orderBy">, mention: Mention): Instant {
  return orderBy === "added" ? mention.addedAt : mention.updatedAt;
}
