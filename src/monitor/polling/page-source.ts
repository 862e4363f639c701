import type { Clock } from "../../lib/clock.ts";
import { DAY } from "../../lib/instant.ts";
import type { StoryCache } from "../ingest/fold-stories.ts";
import type { SourcePage } from "../ingest/source-page.ts";
import type { PendingNotification } from "../model/notification.ts";
import type { PollKey, Priority } from "../model/poll.ts";
import type { PollRequest } from "../model/poll-state.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { NotifyConfig } from "../notify/decide/decide-notifications.ts";
import type { Rule } from "../rules/rule.ts";
import { pageFetcher } from "../source/fetch-pages.ts";
import type { SourceClient } from "../source/source-client.ts";
import type { Page } from "../source/to-page.ts";
import type { Stores } from "../store/stores.ts";
import type { PageParts, QuirkLog } from "./next-page.ts";
import { importanceOf, isCrisis } from "./planner/importance.ts";
import type { PollSettings } from "./watermark.ts";

/** Priorities of the running monitor; the shell has one of its own. */
export type OwnPriority = Exclude<Priority, "shell">;

interface PageSourceParts {
  /** A client for each priority: they share the rate budget of the account. */
  readonly sources: Readonly<Record<OwnPriority, SourceClient>>;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly pageSize: number;
  readonly quirkLog: QuirkLog;
  readonly stores: Pick<Stores, "mentions">;
  readonly clock: Clock;
  readonly noteCall: PageParts["noteCall"];
}

/** What polls need of the source. */
export interface PageSource extends PageParts {
  /** The first page of a call as the server sends it; no quirk is stored from it. Can wait: low priority. */
  readonly firstPage: (
    query: WatchedQuery,
    request: PollRequest,
    signal: AbortSignal,
  ) => Promise<Pick<SourcePage, "mentions" | "rejected">>;
}

/** The pages of polls, from the clients of one account. */
export function createPageSource(parts: PageSourceParts): PageSource {
  const { sources, rulesFor, pageSize, quirkLog, stores, clock, noteCall } = parts;
  const paramsOf = (queries: readonly WatchedQuery[], request: PollRequest) => {
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
  return {
    fetchPage: async ({ queries, request, signal }, cursor) => {
      const source = sources[priorityOf(queries, request, rulesFor)];
      const fetch = pageFetcher(request.path.pages, paramsOf(queries, request), (params, aborted) =>
        source.mentionsPage(params, { signal: aborted }),
      );
      return toSourcePage(await fetch(cursor, signal), clock);
    },
    firstPage: (query, request, signal) =>
      sources.background.mentionsPage(paramsOf([query], request), { signal }),
    hasOlder: stores.mentions.hasOlder,
    fullest: { rows: 0 },
    now: () => clock.now(),
    quirkLog,
    pageSize,
    noteCall,
  };
}

/** Reading back to before a query was watched is history: it can wait. */
function priorityOf(
  queries: readonly WatchedQuery[],
  request: PollRequest,
  rulesFor: (query: Query) => readonly Rule[],
): OwnPriority {
  const since = request.sinceAdded ?? request.sinceUpdated ?? 0;
  if (queries.every(({ watchFrom }) => since < watchFrom - DAY)) return "background";
  return queries.some((query) => isCrisis(importanceOf(rulesFor(query)))) ? "crisis" : "live";
}

/** The server's clock can be compared with ours only if ours runs with the wall. */
function toSourcePage(page: Page, clock: Clock): SourcePage {
  return clock.speed === 1 ? page : { ...page, servedAt: null };
}

/** Everything a poll needs from outside. */
export interface PollParts {
  readonly store: Stores;
  /** Where pages come from. The quirks of its server decide how a poll asks. */
  readonly source: PageSource;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly notifyConfig: NotifyConfig;
  readonly clock: Clock;
  readonly stories?: StoryCache;
  readonly settings: (query: WatchedQuery, poll: PollKey["poll"]) => PollSettings;
  /** How long after the start of a poll its query is due again, in domain time. */
  readonly everyMs: (poll: PollKey["poll"]) => number;
  /** Called after the commit, when notifications are due. */
  readonly onPending: (pending: readonly PendingNotification[]) => Promise<void>;
}
