import type { Instant } from "../lib/instant.ts";

/** bounced: returned for good; expired: not accepted in time; delayed: another server still tries. */
export type BounceOutcome = "bounced" | "expired" | "delayed";

/** A receiver whose mails bounced, since its last delivered mail. */
export interface OpenBounces {
  readonly receiver: string;
  /** The address of those mails. */
  readonly to: string;
  /** Number of mails. */
  readonly times: number;
  /** When the first of them was sent. */
  readonly since: Instant;
  /** The server's text about the newest. */
  readonly detail: string;
}
