import type { Instant } from "../lib/instant.ts";

export type DeadLetterKind = "mention" | "page" | "job";

/** What always failed, and stands aside so that everything else goes on. */
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
  /** It carries what a replay needs. */
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
  /** What a replay needs. */
  readonly body: unknown;
}
