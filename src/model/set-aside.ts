import type { Instant } from "../lib/instant.ts";

export type SetAsideKind = "mention" | "page" | "job";

/** What always failed, and stands aside so that everything else goes on. */
export interface SetAside {
  readonly id: string;
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string | null;
  readonly kind: SetAsideKind;
  readonly at: Instant;
  readonly resourceId: string | null;
  readonly scope: string | null;
  readonly reason: string;
  readonly tries: number;
  /** It carries what a replay needs. */
  readonly replayable: boolean;
  readonly replayWanted: boolean;
}

export interface NewSetAside {
  readonly projectId: string;
  readonly queryId: string;
  readonly kind: SetAsideKind;
  readonly resourceId?: string | null;
  readonly scope?: string;
  readonly reason: string;
  readonly tries: number;
  /** What a replay needs. */
  readonly body: unknown;
}
