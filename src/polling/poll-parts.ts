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

/** All that a poll needs and is not its own. */
export interface PollParts {
  readonly store: Stores;
  /** The pages of one walk, in order. Throws errors with `retryable` and `retryAfterMs`. */
  readonly fetchPages: (
    query: WatchedQuery,
    request: PollRequest,
    signal: AbortSignal,
  ) => AsyncIterable<SourcePage>;
  /** The first page of a call as the server gives it, of which nothing is learned. */
  readonly firstPage: (
    query: WatchedQuery,
    request: PollRequest,
    signal: AbortSignal,
  ) => Promise<Pick<SourcePage, "mentions" | "rejected"> | null>;
  /** What is known of the server: it decides how a walk asks. */
  readonly quirkLog: QuirkLog;
  /** Its pages come out of calls that others share: then a fault in them may be another's. */
  readonly isShared?: boolean;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly notifyConfig: NotifyConfig;
  readonly clock: Clock;
  readonly stories?: StoryCache;
  readonly settings: (query: WatchedQuery, poll: PollKey["poll"]) => PollSettings;
  /** How long after the start of a walk its query is due again, in domain time. */
  readonly everyMs: (poll: PollKey["poll"]) => number;
  /** Told after the commit that notifications are due. */
  readonly onPending: (pending: readonly PendingNotification[]) => Promise<void>;
}
