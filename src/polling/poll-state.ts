import type { Instant } from "../lib/instant.ts";

/** A query is walked over by what is new, by `added`, and by what has changed, by `updated`. */
export type PollKind = "added" | "updated";

/** How a walk is asked for, as far as the server allows. */
export interface PollPath {
  /** desc: the newest first, down to what is known. Then the watermark moves when the walk ends, and not before. */
  readonly direction: "asc" | "desc";
  /** Whether the moment to begin at is sent, or only kept in mind because the server does not heed it. */
  readonly since: "sent" | "withheld";
  /** number: the server refuses its own cursors. */
  readonly pages: "cursor" | "number";
}

export const PLAIN_PATH: PollPath = { direction: "asc", since: "sent", pages: "cursor" };

/** What is stored of a walk, in the transaction of the page that led to it. */
export interface PollState {
  /** The highest `added` (or `updated`) seen, but never ahead of our own clock. Never moves back. */
  readonly watermark: Instant | null;
  /** Everything that arrived before this has been seen. Moves when a walk ends, and never back. */
  readonly completeUntil: Instant | null;
  /** A walk that has begun and not ended. */
  readonly running: RunningPoll | null;
  /** What a walk did not see and the server says is there; it is gone over again until it is found. */
  readonly gap: PollGap | null;
  /** Where a walk that was given up in its middle goes on, if that is further than its watermark would lead. */
  readonly continueFrom?: Instant;
  /** Where the walk began that goes on there. */
  readonly passFrom?: Instant;
  /** The next walk asks for pages by number: with cursors it came to the same place twice. */
  readonly byNumber?: boolean;
  /** How often it was taken past a page that always fails, since a walk last came to its end; none where absent. */
  readonly stepped?: number;
  /** The last page's cursor and the walk it belongs to, where it had one. */
  readonly tail?: PollTail | null;
}

export interface PollGap {
  readonly from: Instant;
  /** How often it was gone over in vain. The first times at once, and nothing is claimed meanwhile; then ever less often. */
  readonly tries: number;
  readonly missing?: number;
  /** When it was noticed, and when it is gone over again. */
  readonly noticedAt?: Instant;
  readonly nextAt?: Instant;
}

export type PollTail = Pick<RunningPoll, "since" | "startDate" | "endDate"> & { readonly cursor: string };

/** Its parameters are kept, because a cursor is only good with the same ones. */
export interface RunningPoll {
  readonly startedAt: Instant;
  readonly since: Instant;
  readonly startDate: Instant;
  readonly endDate: Instant;
  /** Null before the first page. */
  readonly cursor: string | null;
  readonly total: number | null;
  readonly seen: number;
  /** Where it began, if it goes on from the middle of one that was given up. */
  readonly passFrom?: Instant;
  /** Plain where absent. */
  readonly path?: PollPath;
  /** Highest moment on its own pages; absent before the first row. */
  readonly highest?: Instant | null;
}

export const NEW_POLL: PollState = { watermark: null, completeUntil: null, running: null, gap: null };

/** Whether the newest comes first. */
export function isDown({ path }: RunningPoll): boolean {
  return path?.direction === "desc";
}
