import type { SourcePage } from "../ingest/source-page.ts";
import type { PollKey } from "../model/poll.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { PollParts } from "./poll-parts.ts";
import { type PollOutcome, pollQuery } from "./poll-query.ts";
import type { PollRequest } from "./poll-request.ts";
import { createSharedPages } from "./shared-pages.ts";

export interface TogetherParts extends PollParts {
  /** The pages of one poll of several queries of one project. */
  readonly fetchSharedPages: (
    queries: readonly WatchedQuery[],
    request: PollRequest,
    signal: AbortSignal,
  ) => AsyncIterable<SourcePage>;
  /** A query that failed by itself, or makes a shared call fail, is polled alone until that succeeds. */
  readonly pollAlone: (keys: readonly PollKey[]) => Promise<void>;
}

export interface TogetherOutcome {
  readonly outcome: "together";
  readonly members: readonly { readonly key: PollKey; readonly result: PollOutcome }[];
  /**
   * Whether the source answers one call for several queries, as far as this poll shows. Mentions of two of them are
   * proof, and so is a refusal; an empty answer shows nothing.
   */
  readonly sharing: "proven" | "refused" | "unknown";
}

/**
 * Polls several queries of one project by shared calls. `pollQuery` polls each member as usual, with its own lease,
 * watermark, coverage and transactions; only its pages are cut out of shared ones.
 */
export async function pollTogether(
  parts: TogetherParts,
  keys: readonly PollKey[],
  signal: AbortSignal,
  proven: boolean,
): Promise<TogetherOutcome> {
  const queries = new Map<string, WatchedQuery>();
  const shared = createSharedPages(
    keys.map(({ queryId }) => queryId),
    (queryIds, request) =>
      guarded(
        parts.fetchSharedPages(
          queryIds.flatMap((queryId) => queries.get(queryId) ?? []),
          request,
          signal,
        ),
        queryIds.length === 1 || proven,
      ),
  );
  let direction: PollRequest["orderDirection"] | null = null;
  const members = await Promise.all(
    keys.map(async (key) => {
      const fetchPages: PollParts["fetchPages"] = (query, request, ownSignal) => {
        queries.set(query.queryId, query);
        direction ??= request.orderDirection;
        if (request.cursor === null && request.orderDirection === direction)
          return shared.pagesOf(query.queryId, request);
        // It resumes from a cursor of its own, or reads in the other order, so it cannot share.
        shared.leave(query.queryId);
        return parts.fetchPages(query, request, ownSignal);
      };
      try {
        return { key, result: await pollQuery({ ...parts, fetchPages, isShared: true }, key, signal) };
      } finally {
        shared.leave(key.queryId);
      }
    }),
  );
  const { members: seen, failure } = shared.shown();
  const failed = members.filter(({ result }) => result.outcome === "broken-off");
  const isRefused = isRefusal(failure);
  const isLong = keys.length > SHORT;
  if (isLong && failure !== null && proven) {
    // The length of the address may be the reason, and then no query is at fault.
    if (isRefused || isLostOnTheWay(failure))
      await parts.quirkLog.note([{ quirk: "addresses", value: "short" }]);
    return { outcome: "together", members, sharing: "unknown" };
  }
  if (isLong && failure === null) await parts.quirkLog.note([{ quirk: "addresses", value: "long" }]);
  // If the call itself failed temporarily, no query is at fault.
  if (isRefused || isUnreadable(failure) || failure === null)
    await parts.pollAlone(failed.map(({ key }) => key));
  const sharing = seen >= 2 ? "proven" : isRefused && !proven ? "refused" : "unknown";
  return { outcome: "together", members, sharing };
}

/**
 * Until the source has answered one call for several queries, an answer with mentions of fewer than two of them proves
 * nothing about the others: then it must not end their polls.
 */
async function* guarded(pages: AsyncIterable<SourcePage>, trusted: boolean): AsyncGenerator<SourcePage> {
  if (trusted) return yield* pages;
  const [held, named]: [SourcePage[], Set<string>] = [[], new Set()];
  for await (const page of pages) {
    held.push(page);
    for (const { queryId } of page.mentions) named.add(queryId);
    if (named.size >= 2) yield* held.splice(0);
    else if (held.length >= MOST_HELD) break;
  }
  if (named.size < 2)
    throw new UnprovenError("the source has not shown yet that it answers for several queries at once");
}

const MOST_HELD = 2;

class UnprovenError extends Error {
  override readonly name = "UnprovenError";
  readonly retryable = true;
  /** Nothing has failed: the members are free for calls of their own at once. */
  readonly isPostponed = true;
  readonly retryAfterMs = 0;
}

/** The server may fail to send one mention of one query: when each is polled alone, it shows whose it is. */
function isUnreadable(error: unknown): boolean {
  const { kind } = (error ?? {}) as { kind?: string };
  return kind === "malformed" || kind === "too-large";
}

/** As many ids as every server accepts in one address. */
const SHORT = 200;

/** Some servers hang up on an address that is too long. */
function isLostOnTheWay(error: unknown): boolean {
  return ((error ?? {}) as { kind?: string }).kind === "network";
}

function isRefusal(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: number | null };
  return typeof status === "number" && [400, 403, 404, 413, 414, 422, 431, 494].includes(status);
}
