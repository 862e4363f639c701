import type { SourcePage } from "../ingest/source-page.ts";
import type { PollKey } from "../model/poll.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { PollParts } from "./poll-parts.ts";
import { type PollOutcome, pollQuery } from "./poll-query.ts";
import type { PollRequest } from "./poll-request.ts";
import { createSharedPages } from "./shared-pages.ts";

export interface TogetherParts extends PollParts {
  /** The pages of one walk over several queries of one project. */
  readonly fetchSharedPages: (
    queries: readonly WatchedQuery[],
    request: PollRequest,
    signal: AbortSignal,
  ) => AsyncIterable<SourcePage>;
  /** Who failed by itself, or makes a shared call fail, is walked alone until that has gone well. */
  readonly pollAlone: (keys: readonly PollKey[]) => Promise<void>;
}

export interface TogetherOutcome {
  readonly outcome: "together";
  readonly members: readonly { readonly key: PollKey; readonly result: PollOutcome }[];
  /**
   * Whether the source answers for several queries in one call, as far as this walk shows: mentions of two of them are
   * proof, a refusal too, and silence says nothing.
   */
  readonly sharing: "proven" | "refused" | "unknown";
}

/**
 * Walks several queries of one project by shared calls. Each member is walked by `pollQuery` as ever, with its own
 * lease, watermark, coverage and transactions; only its pages are cut out of shared ones.
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
        // It goes on from a cursor of its own, or the other way round, which nobody can share.
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
    // The length of the address may be to blame, and then nobody is at fault.
    if (isRefused || isLostOnTheWay(failure))
      await parts.quirkLog.note([{ quirk: "addresses", value: "short" }]);
    return { outcome: "together", members, sharing: "unknown" };
  }
  if (isLong && failure === null) await parts.quirkLog.note([{ quirk: "addresses", value: "long" }]);
  // Where the call itself failed for a while, nobody is at fault.
  if (isRefused || isUnreadable(failure) || failure === null)
    await parts.pollAlone(failed.map(({ key }) => key));
  const sharing = seen >= 2 ? "proven" : isRefused && !proven ? "refused" : "unknown";
  return { outcome: "together", members, sharing };
}

/**
 * Until the source has shown that it answers for several queries in one call, an answer that names fewer than two of
 * them proves nothing about the others: then nobody may take it for the end of a walk.
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

/** One mention of one of them may be what its server cannot send: by itself, each shows whether it is its own. */
function isUnreadable(error: unknown): boolean {
  const { kind } = (error ?? {}) as { kind?: string };
  return kind === "malformed" || kind === "too-large";
}

/** As many as every server takes in one address. */
const SHORT = 200;

/** Some servers hang up on an address that is too long. */
function isLostOnTheWay(error: unknown): boolean {
  return ((error ?? {}) as { kind?: string }).kind === "network";
}

function isRefusal(error: unknown): boolean {
  const { status } = (error ?? {}) as { status?: number | null };
  return typeof status === "number" && [400, 403, 404, 413, 414, 422, 431, 494].includes(status);
}
