/** What the account allows: `limit` calls in any rolling window of `periodMs`, shared by everybody who uses it. */
export interface RateLimit {
  readonly limit: number;
  readonly periodMs: number;
}

/** Who a call is for, in this order: crisis queries, polls, the shell; history and lists last. */
export const PRIORITIES = ["crisis", "live", "shell", "background"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The places of a window that calls of one priority may take; `to` is included. */
export interface PrioritySlots {
  readonly from: number;
  readonly to: number;
}

/** Whether one call may ask for several queries at this source. */
export type Sharing = "untried" | "proven" | "refused";

/** The rate budget of an account as the tables have it now. */
export interface CallBudget {
  /** Null: the account has no limit. */
  readonly limit: RateLimit | null;
  readonly learnedFrom: "assumed" | "client" | "answer";
  /** Places that are taken in the window that ends now, by us and, as far as answers told, by others. */
  readonly used: number;
  readonly usedByOthers: number;
  /** Milliseconds until a refusal of the source is over; 0 when there is none. */
  readonly closedForMs: number;
  /** How many calls were planned in all, and how long ago the last one was due (null: never). */
  readonly turn: number;
  readonly pacedMsAgo: number | null;
  readonly sharing: Sharing;
  /** Milliseconds since a shared call was tried last, null: never. */
  readonly sharingTriedMsAgo: number | null;
}
