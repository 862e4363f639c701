import type { SourcePage } from "../../../src/monitor/ingest/source-page.ts";
import type { PollPath, PollRequest } from "../../../src/monitor/model/poll-state.ts";
import type { WatchedQuery } from "../../../src/monitor/model/query.ts";
import type { PageSource } from "../../../src/monitor/polling/next-page.ts";
import type { MentionsParams } from "../../../src/monitor/source/mention-params.ts";

export type Pages = (
  queries: readonly Pick<WatchedQuery, "queryId">[],
  request: PollRequest,
  signal: AbortSignal,
) => AsyncIterable<SourcePage>;

/** A source that sends the pages of a generator: one run of it for each call, and an empty page behind its end. */
export function sourceOfPages(
  pages: Pages,
  more: Pick<PageSource, "quirkLog" | "now"> & Partial<PageSource>,
): PageSource {
  const calls = new WeakMap<AbortSignal, Map<string, AsyncIterator<SourcePage>>>();
  const mentionsPage: PageSource["clients"]["live"]["mentionsPage"] = async (params, { signal } = {}) => {
    if (signal === undefined) throw new Error("a poll can be stopped");
    const { cursor: _, page: __, ...call } = params;
    const runs = calls.get(signal) ?? new Map<string, AsyncIterator<SourcePage>>();
    calls.set(signal, runs);
    const run = runs.get(JSON.stringify(call)) ?? begin(params, signal);
    runs.set(JSON.stringify(call), run);
    const { done, value } = await run.next();
    const page: SourcePage = done === true ? NO_ROWS : value;
    const rejected = page.rejected.map((row, index) => ({ ...row, index }));
    return { budget: null, ...page, rejected, servedAt: page.servedAt ?? null } as Awaited<
      ReturnType<typeof mentionsPage>
    >;
  };
  const begin = (params: MentionsParams, signal: AbortSignal): AsyncIterator<SourcePage> => {
    const queries = (params.queryIds ?? []).map((queryId) => ({ queryId }));
    const direction = params.orderDirection ?? "asc";
    const since = params.sinceAdded === undefined && params.sinceUpdated === undefined ? "withheld" : "sent";
    const path: PollPath = { direction, since, pages: params.page === undefined ? "cursor" : "number" };
    return pages(queries, { ...params, path } as PollRequest, signal)[Symbol.asyncIterator]();
  };
  const client = { mentionsPage };
  return {
    clients: { crisis: client, live: client, background: client },
    rulesFor: () => [],
    isWallTime: true,
    hasOlder: async () => false,
    pageSize: 5_000,
    fullest: { rows: 0 },
    noteCall: async () => {},
    ...more,
  };
}

const NO_ROWS: SourcePage = { mentions: [], rejected: [], nextCursor: null, total: null, pageSize: null };
