import type { SourcePage } from "../../../src/monitor/ingest/source-page.ts";
import type { PollRequest } from "../../../src/monitor/model/poll-state.ts";
import type { WatchedQuery } from "../../../src/monitor/model/query.ts";
import type { PageSource } from "../../../src/monitor/polling/page-source.ts";
import type { PollCall } from "../../../src/monitor/polling/poll-call.ts";

export type Pages = (
  queries: readonly WatchedQuery[],
  request: PollRequest,
  signal: AbortSignal,
) => AsyncIterable<SourcePage>;

/** A source that sends the pages of a generator: one run of it for each call, and an empty page behind its end. */
export function sourceOfPages(
  pages: Pages,
  more: Pick<PageSource, "quirkLog" | "now"> & Partial<PageSource>,
): PageSource {
  const runs = new WeakMap<PollCall, AsyncIterator<SourcePage>>();
  return {
    fetchPage: async (call) => {
      const begun = runs.get(call);
      const run = begun ?? pages(call.queries, call.request, call.signal)[Symbol.asyncIterator]();
      runs.set(call, run);
      const { done, value } = await run.next();
      return done === true ? NO_ROWS : value;
    },
    firstPage: async () => ({ mentions: [], rejected: [] }),
    hasOlder: async () => false,
    pageSize: 5_000,
    fullest: { rows: 0 },
    noteCall: async () => {},
    ...more,
  };
}

const NO_ROWS: SourcePage = { mentions: [], rejected: [], nextCursor: null, total: null, pageSize: null };
