import { describeError } from "../../lib/errors.ts";
import { ClassifiedError } from "../../lib/retry.ts";
import type { SourcePage } from "../ingest/source-page.ts";
import type { PollRequest, SamePage } from "../model/poll-state.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { QueryGroup } from "../model/query-group.ts";
import type { ObservedQuirk, ServerQuirks } from "../model/server-quirk.ts";
import { createPaging } from "../source/fetch-pages.ts";
import { SourceError, type SourceErrorKind } from "../source/source-error.ts";
import type { StampedPage } from "./server-quirks.ts";

/** One call of a poll, for one query or for several that share it, from its first page to its last. */
export interface PollCall {
  readonly queries: readonly WatchedQuery[];
  /** Groups of the account that name several of them. */
  readonly groups: readonly QueryGroup[];
  readonly request: PollRequest;
  readonly signal: AbortSignal;
  readonly seen: SeenByCall;
}

/** What the pages of a call have shown so far. `nextPage` alone changes it. */
interface SeenByCall {
  readonly paging: ReturnType<typeof createPaging>;
  /** As they were before the first page. */
  quirks: ServerQuirks | null;
  readonly found: ObservedQuirk[];
  pages: number;
  rows: number;
  /** Rows that are newer than the start of the range; fewer than `rows` if the server ignores that start. */
  kept: number;
  last: StampedPage | null;
  /** The page before, and how often it came. */
  same: SamePage | null;
  /** Where the next page begins. */
  cursor: string | null;
  /** No page follows. */
  isOver: boolean;
  /** Resolves when it is noted that the source has answered. Nothing waits for that but the end of the call. */
  noted: Promise<void>;
}

export function openCall(
  queries: readonly WatchedQuery[],
  request: PollRequest,
  signal: AbortSignal,
  groups: readonly QueryGroup[] = [],
  same: SamePage | null = null,
): PollCall {
  const paging = createPaging({ cursor: request.cursor, pageSize: null, endOnShortPage: false });
  const { cursor } = request;
  const none = { quirks: null, found: [], pages: 0, rows: 0, kept: 0, last: null };
  return {
    queries,
    groups,
    request,
    signal,
    seen: { ...none, paging, same, cursor, isOver: false, noted: Promise.resolve() },
  };
}

/** The result of the request for a page. */
export type NextPage =
  /** `next`: the cursor of the page behind it; null if it is the last. */
  | { readonly outcome: "Page"; readonly page: SourcePage; readonly next: string | null }
  /** The page before was the last. */
  | { readonly outcome: "End" }
  | { readonly outcome: "Failed"; readonly failure: PollFailure };

/** Why a page was not fetched or not committed. */
export interface PollFailure {
  /**
   * - a kind of the source client; `over-budget`: no call was left for it, and nothing failed.
   * - `other-way`: the server cannot be read in the way that the poll began; the next poll takes another way.
   * - `by-group`: the server does not answer for groups of queries; the next call names each query.
   * - `unproven`: the server has not shown yet that it answers for several queries at once.
   * - `other`: a fault of a commit, or any other.
   */
  readonly kind: SourceErrorKind | "other-way" | "by-group" | "unproven" | "other";
  readonly because: string;
  /** HTTP status; null if there was no answer. */
  readonly status: number | null;
  readonly retryable: boolean;
  /** How long the source wants us to wait; null if it did not say. */
  readonly retryAfterMs: number | null;
}

/** A failure of the source client, or of anything else on the way to a page. */
export function fetchFailure(error: unknown): PollFailure {
  const failure = commitFailure(error);
  if (!(error instanceof SourceError)) return failure;
  const { kind, status, retryAfterMs } = error;
  return { ...failure, kind, status, retryAfterMs };
}

/** A failure of a commit. An error that nobody classified may be tried again. */
export function commitFailure(error: unknown): PollFailure {
  const retryable = !(error instanceof ClassifiedError) || error.retryable;
  return { kind: "other", because: describeError(error), status: null, retryable, retryAfterMs: null };
}

/** The server cannot be read in this way: the poll is due again at once, and takes another one. */
export function otherWay(because: string): PollFailure {
  return { kind: "other-way", because, status: null, retryable: true, retryAfterMs: 0 };
}

/** The server does not answer for groups: nothing has failed, and the members are due again at once. */
export function byGroup(because: string): PollFailure {
  return { kind: "by-group", because, status: null, retryable: true, retryAfterMs: 0 };
}

/** Answers to a call for several queries where one for each may be accepted: their rights, or their number. */
export function refusesSharing({ status }: Pick<PollFailure, "status">): boolean {
  return status !== null && [400, 403, 404, 413, 414, 422, 431, 494].includes(status);
}

/** The server may fail to send one mention of one query: when each is polled alone, it shows whose it is. */
export function isUnreadable({ kind }: PollFailure): boolean {
  return kind === "malformed" || kind === "too-large";
}

/** Whether nothing has failed: the poll is only postponed. */
export function isPostponement({ kind }: PollFailure): boolean {
  return kind === "over-budget" || kind === "other-way" || kind === "by-group" || kind === "unproven";
}

/** Whether an answer with this status refuses what was sent, now and later. */
export function isRefusal({ status }: { readonly status: number | null }): boolean {
  return status !== null && REFUSALS.has(status);
}

const REFUSALS = new Set([400, 404, 410, 422]);
