import type { Instant } from "../lib/instant.ts";

/**
 * bounced: the mail came back for good; expired: it came back because nobody took it in time; delayed: it is still tried
 * elsewhere.
 */
export type BounceOutcome = "bounced" | "expired" | "delayed";

/** A receiver whose mails came back for good, since the last one that did not. */
export interface OpenBounces {
  readonly receiver: string;
  /** The address that they were sent to. */
  readonly to: string;
  /** Mails. */
  readonly times: number;
  /** When the first of them was sent. */
  readonly since: Instant;
  /** What was said about the newest. */
  readonly detail: string;
}
