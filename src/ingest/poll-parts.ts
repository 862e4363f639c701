import type { Clock } from "../lib/clock.ts";
import type { OwedNotification } from "../model/notification.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { WalkKey } from "../model/walk.ts";
import type { Directory } from "../notify/tell.ts";
import type { Rule } from "../rules/rule.ts";
import type { StoryCache } from "./fold-stories.ts";
import type { IngestStore } from "./ports.ts";
import type { SourcePage } from "./source-page.ts";
import type { WalkRequest } from "./walk-request.ts";
import type { SourceKnowledge } from "./walk-source.ts";
import type { WalkSettings } from "./watermark.ts";

/** All that a poll needs and is not its own. */
export interface PollParts {
  readonly store: IngestStore;
  /** The pages of one walk, in order. Throws errors with `retryable` and `retryAfterMs`. */
  readonly walkPages: (
    query: WatchedQuery,
    request: WalkRequest,
    signal: AbortSignal,
  ) => AsyncIterable<SourcePage>;
  /** The first page of a call as the server gives it, of which nothing is learned. */
  readonly firstPage: (
    query: WatchedQuery,
    request: WalkRequest,
    signal: AbortSignal,
  ) => Promise<Pick<SourcePage, "mentions" | "rejected"> | null>;
  /** What is known of the server: it decides how a walk asks. */
  readonly knowledge: SourceKnowledge;
  /** Its pages come out of calls that others share: then a fault in them may be another's. */
  readonly isShared?: boolean;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly directory: Directory;
  readonly clock: Clock;
  readonly stories?: StoryCache;
  readonly settings: (query: WatchedQuery, walk: WalkKey["walk"]) => WalkSettings;
  /** How long after the start of a walk its query is due again, in domain time. */
  readonly everyMs: (walk: WalkKey["walk"]) => number;
  /** Told after the commit that notifications are due. */
  readonly onOwed: (owed: readonly OwedNotification[]) => Promise<void>;
}
