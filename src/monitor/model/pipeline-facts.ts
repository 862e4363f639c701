import type { Instant } from "../../lib/instant.ts";
import type { DeadLetterKind } from "./failure.ts";

/** How far one query has been read and judged. */
export interface QueryProgress {
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string;
  readonly watchFrom: Instant;
  readonly completeUntil: Instant | null;
  readonly tickedUntil: Instant;
  readonly polledAt: Instant | null;
  readonly lastError: string | null;
}

/** The usual number of mentions of a query in the same hours of earlier days. */
export interface QueryRhythm {
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string;
  /** Nothing new was stored since. */
  readonly silentSince: Instant;
  readonly completeUntil: Instant;
  /** One number a day, for days on which it was watched. */
  readonly before: readonly number[];
}

export interface WaitingWork {
  readonly polls: number;
  /** How long the oldest of them has been ready, in milliseconds of wall time. */
  readonly oldestPollMs: number;
  /** Domain time since any poll started or ended; null if none ever did. */
  readonly lastPolledAt: Instant | null;
  readonly deliveries: number;
  /** How long the oldest delivery has been ready, in milliseconds of wall time. */
  readonly oldestDeliveryMs: number;
  readonly windows: number;
}

/** The dead letters of a kind, and since when there are any. */
export interface DeadLetterCount {
  readonly kind: DeadLetterKind;
  readonly n: number;
  readonly since: Instant;
  /** The reason of the newest. */
  readonly reason: string;
}

/** Messages to one receiver that were given up, since the first of them was decided. */
export interface GivenUp {
  readonly receiver: string;
  readonly n: number;
  /** The error of the last one. */
  readonly error: string;
  readonly since: Instant;
}

/** Messages to one receiver that show something that was deleted, and that it does not let us correct. */
export interface UncorrectedMessages {
  readonly receiver: string;
  readonly n: number;
  /** The error of the last one. */
  readonly error: string;
  readonly since: Instant;
  /** At most three, the newest first. Each is about an alert or a digest. */
  readonly newest: readonly {
    readonly rule: string | null;
    readonly digest: string | null;
    readonly sentAt: Instant | null;
  }[];
}

/** In one word, what a public feed does. */
type FeedState =
  | "not configured"
  | "waiting"
  | "fetching"
  | "listening"
  | "ok"
  | "quiet"
  | "late"
  | "failing"
  | "paused"
  | "gone"
  | "open";

/** A public feed. Durations are in milliseconds of the database's clock. */
export interface FeedHealth {
  readonly key: string;
  readonly name: string;
  readonly state: FeedState;
  /** Why nothing comes, and what to do; null: it comes. */
  readonly why: string | null;
  /** How often it is fetched; null: it is an open connection. */
  readonly everyMs: number | null;
  /** Since its last answer; null: there was none. */
  readonly receivedAgoMs: number | null;
  /** How long it has been silent, if that is longer than its interval allows; else null. */
  readonly silentForMs: number | null;
  /** Its newest gap: time of which its posts and deletes are missing. */
  readonly gap: {
    readonly from: Instant;
    readonly to: Instant;
    readonly reason: string;
    readonly noticedAgoMs: number;
  } | null;
}

/** The facts behind the metrics page. */
export interface MetricFacts {
  readonly alerts: readonly { readonly severity: string; readonly state: string; readonly n: number }[];
  /** Of the last 24 hours, by receiver; `detail` is the beginning of the vendor's answer. */
  readonly deliveries: readonly {
    readonly receiver: string;
    readonly outcome: string;
    /** Of a failed attempt; empty for others. */
    readonly code: string;
    readonly n: number;
  }[];
  readonly notifications: readonly {
    readonly receiver: string;
    readonly state: string;
    readonly reason: string;
    readonly n: number;
  }[];
  /** Current failures, by kind and reason. */
  readonly failures: readonly { readonly kind: string; readonly reason: string; readonly n: number }[];
  readonly deadLetters: readonly { readonly kind: string; readonly n: number }[];
  /** Rows by table, as the database estimates them. */
  readonly rows: readonly { readonly table: string; readonly n: number }[];
  /** Bytes of the whole database. */
  readonly databaseBytes: number;
}

/** The latest state of the heartbeat. */
export interface ShownHeartbeat {
  readonly outcome: string;
  readonly at: number;
  readonly reason?: string;
  readonly answer?: string | null;
  readonly configured?: boolean;
}

/** Jobs of one queue, as its engine counts them. */
export interface QueueCounts {
  readonly queue: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
}
