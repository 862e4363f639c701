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

/** What a query brought in the same hours of earlier days. */
export interface QueryRhythm {
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string;
  /** Nothing new was stored since. */
  readonly silentSince: Instant;
  readonly completeUntil: Instant;
  /** One number a day, for days that were watched. */
  readonly before: readonly number[];
}

export interface WaitingWork {
  readonly polls: number;
  /** Time for which the oldest of them could have been taken. */
  readonly oldestPollMs: number;
  /** Domain time since any walk was taken or ended; null when none ever was. */
  readonly lastPolledAt: Instant | null;
  readonly deliveries: number;
  /** Wall time for which the oldest delivery could have been taken. */
  readonly oldestDeliveryMs: number;
  readonly windows: number;
}

/** How much of a kind stands aside, and since when. */
export interface DeadLetterCount {
  readonly kind: DeadLetterKind;
  readonly n: number;
  readonly since: Instant;
  /** Why the newest of them does. */
  readonly reason: string;
}

/** Messages to one receiver that were given up, since the first of them was decided. */
export interface GivenUp {
  readonly receiver: string;
  readonly n: number;
  /** What the last of them met. */
  readonly error: string;
  readonly since: Instant;
}
