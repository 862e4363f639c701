import type { SourcePage } from "../ingest/source-page.ts";
import type { Clock } from "../lib/clock.ts";
import type { WatchedQuery } from "../model/query.ts";
import { adaptPages, type QuirkLog } from "../polling/adapt-pages.ts";
import type { PollRequest } from "../polling/poll-request.ts";
import type { SourceClient } from "../source/source-client.ts";
import type { Page } from "../source/to-page.ts";
import type { Stores } from "../store/stores.ts";
import type { OwnPriority } from "./sources.ts";

export interface SourcePagesParts {
  readonly sources: Readonly<Record<OwnPriority, SourceClient>>;
  readonly priorityOf: (queries: readonly WatchedQuery[], request: PollRequest) => OwnPriority;
  readonly pageSize: number;
  readonly quirkLog: QuirkLog;
  readonly stores: Pick<Stores, "mentions">;
  readonly clock: Clock;
}

/** The pages of polls from the source, adapted to the quirks of its server. */
export function createSourcePages(parts: SourcePagesParts) {
  const { sources, priorityOf, pageSize, quirkLog, stores, clock } = parts;
  const ask = (queries: readonly WatchedQuery[], request: PollRequest) => {
    const { path, sinceAdded, sinceUpdated, ...call } = request;
    return {
      projectId: queries[0]?.projectId ?? "",
      queryIds: queries.map(({ queryId }) => queryId),
      pageSize,
      ...call,
      ...(path.since === "sent" && sinceAdded !== undefined && { sinceAdded }),
      ...(path.since === "sent" && sinceUpdated !== undefined && { sinceUpdated }),
    };
  };
  async function* fetch(queries: readonly WatchedQuery[], request: PollRequest, signal: AbortSignal) {
    const source = sources[priorityOf(queries, request)];
    const pages = source.mentions(ask(queries, request), {
      signal,
      by: request.path.pages,
      endOnShortPage: false,
    });
    for await (const page of pages) yield toSourcePage(page, clock);
  }
  const { hasOlder } = stores.mentions;
  const poll = { fetch, quirkLog, hasOlder, pageSize, fullest: { rows: 0 }, now: () => clock.now() };
  return {
    pagesOf: (queries: readonly WatchedQuery[], request: PollRequest, signal: AbortSignal) =>
      adaptPages(poll, queries, request, signal),
    firstPage: (query: WatchedQuery, request: PollRequest, signal: AbortSignal) =>
      sources.background.mentionsPage({ ...ask([query], request), cursor: request.cursor }, { signal }),
  };
}

/** The server's clock can be compared with ours only if ours runs with the wall. */
function toSourcePage(page: Page, clock: Clock): SourcePage {
  return clock.speed === 1 ? page : { ...page, servedAt: null };
}
