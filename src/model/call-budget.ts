/** The limit of an account: `limit` calls in any rolling window of `periodMs`, shared by all its clients. */
export interface RateLimit {
  readonly limit: number;
  readonly periodMs: number;
}

/** The purpose of a call, most important first: crisis queries, polls, the shell; history and lists last. */
export const PRIORITIES = ["crisis", "live", "shell", "background"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The slots of a window that calls of one priority may take; `to` is included. */
export interface PrioritySlots {
  readonly from: number;
  readonly to: number;
}

/** Whether one call may ask for several queries at this source. */
export type Sharing = "untried" | "proven" | "refused";

/** The stored rate budget of an account. */
export interface CallBudget {
  /** Null: the account has no limit. */
  readonly limit: RateLimit | null;
  readonly learnedFrom: "assumed" | "client" | "answer";
  /** Used slots of the window that ends now, by us and, as far as the answers say, by others. */
  readonly used: number;
  readonly usedByOthers: number;
  /** Milliseconds until a refusal of the source ends; 0 if there is none. */
  readonly closedForMs: number;
  /** Number of all planned calls, and how long ago the last one was due (null: never). */
  readonly turn: number;
  readonly pacedMsAgo: number | null;
  readonly sharing: Sharing;
  /** Milliseconds since the last try of a shared call; null: never. */
  readonly sharingTriedMsAgo: number | null;
}
