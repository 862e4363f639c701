import type { Clock } from "../../lib/clock.ts";
import type { CursorCodec } from "../mentions/cursor-codec.ts";
import type { RecordViews } from "../records/record-view.ts";
import type { Database } from "../store/database.ts";
import type { MentionPages } from "../store/mention-page.ts";
import type { MentionRecords } from "../store/mention-records.ts";
import type { MentionSearches } from "../store/mention-searches.ts";
import type { MentionTotals } from "../store/mention-totals.ts";

/** What the routes work with. Made once per server. */
export interface LocalApiContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly pages: MentionPages;
  readonly records: MentionRecords;
  readonly searches: MentionSearches;
  readonly totals: MentionTotals;
  readonly views: RecordViews;
  /** Logins that are refused here, whatever they know, and their tokens. */
  readonly refusedLogins: ReadonlySet<string>;
  readonly tokenLifetimeSeconds: number;
}

/** What the local API needs of a log. Called without secrets and without text of mentions. */
export interface LocalApiLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
