import type { CommitParts } from "../ingest/commit-page.ts";
import type { PendingNotification } from "../model/notification.ts";
import type { PollKey } from "../model/poll.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { Rule } from "../rules/rule.ts";
import type { Stores } from "../store/stores.ts";
import type { PageSource } from "./next-page.ts";
import type { PollSettings } from "./watermark.ts";

/** Everything a poll needs from outside. */
export interface PollParts extends Pick<CommitParts, "notifyConfig" | "clock" | "stories"> {
  readonly store: Pick<
    Stores,
    "counts" | "deadLetters" | "mentions" | "polls" | "queries" | "queryGroups" | "transaction"
  >;
  /** Where pages come from. The quirks of its server decide how a poll asks. */
  readonly source: PageSource;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly settings: (query: WatchedQuery, poll: PollKey["poll"]) => PollSettings;
  /** How long after the start of a poll its query is due again, in domain time. */
  readonly everyMs: (poll: PollKey["poll"]) => number;
  /** The version of the configuration; null if processes do not report it. */
  readonly version?: string | null;
  /** Called after the commit, when notifications are due. */
  readonly onPending: (pending: readonly PendingNotification[]) => Promise<void>;
}
