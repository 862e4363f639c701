import type { Instant } from "../lib/instant.ts";
import type { DeadLetterKind } from "./dead-letter.ts";

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
