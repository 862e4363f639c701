import type { Instant } from "../lib/instant.ts";

export type DeadLetterKind = "mention" | "page" | "job";

/** A mention, page or job that always failed and is kept apart, so that it blocks nothing else. */
export interface DeadLetter {
  readonly id: string;
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string | null;
  readonly kind: DeadLetterKind;
  readonly at: Instant;
  readonly resourceId: string | null;
  readonly scope: string | null;
  readonly reason: string;
  readonly tries: number;
  /** Whether `body` has all that a replay needs. */
  readonly replayable: boolean;
  readonly replayWanted: boolean;
}

export interface NewDeadLetter {
  readonly projectId: string;
  readonly queryId: string;
  readonly kind: DeadLetterKind;
  readonly resourceId?: string | null;
  readonly scope?: string;
  readonly reason: string;
  readonly tries: number;
  /** The input of a replay. */
  readonly body: unknown;
}
