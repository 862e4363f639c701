import type { Instant } from "../../lib/instant.ts";

/** A group of queries of the account, as its list has it. */
export interface ListedGroup {
  readonly queryGroupId: string;
  readonly name: string;
  readonly queryIds: readonly string[];
}

/** A stored group: one id in an address asks for all its members. */
export interface QueryGroup {
  readonly projectId: string;
  readonly groupId: string;
  readonly name: string;
  readonly queryIds: readonly string[];
  /** Rows of members that are not watched, per millisecond, as its answers had them; null: none yet. */
  readonly surplusRate: number | null;
  /** When the list was asked for that says so. */
  readonly readAt: Instant;
  /** When a call that named it failed: it is not named until a trial is answered. When the last trial was. */
  readonly doubtedAt: Instant | null;
  readonly triedAt: Instant | null;
}
