import type { StoryCache } from "../ingest/fold-stories.ts";
import type { SourcePage } from "../ingest/source-page.ts";
import type { Clock } from "../lib/clock.ts";
import type { PendingNotification } from "../model/notification.ts";
import type { PollKey } from "../model/poll.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { NotifyConfig } from "../notify/decide/decide-notifications.ts";
import type { Rule } from "../rules/rule.ts";
import type { Stores } from "../store/stores.ts";
import type { QuirkLog } from "./adapt-pages.ts";
import type { PollRequest } from "./poll-request.ts";
import type { PollSettings } from "./watermark.ts";

/** Everything a poll needs from outside. */
export interface PollParts {
  readonly store: Stores;
  /** The pages of one poll, in order. Throws errors with `retryable` and `retryAfterMs`. */
  readonly fetchPages: (
    query: WatchedQuery,
    request: PollRequest,
    signal: AbortSignal,
  ) => AsyncIterable<SourcePage>;
  /** The first page of a call as the server sends it; no quirk is stored from it. */
  readonly firstPage: (
    query: WatchedQuery,
    request: PollRequest,
    signal: AbortSignal,
  ) => Promise<Pick<SourcePage, "mentions" | "rejected"> | null>;
  /** The server's quirks: they decide how a poll asks. */
  readonly quirkLog: QuirkLog;
  /** Its pages come from shared calls: a fault in them may be another query's. */
  readonly isShared?: boolean;
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
