import type { Instant } from "../../lib/instant.ts";

/** A login of the console, as it is kept. */
export interface StoredSession {
  readonly id: string;
  /** Of its user: see `nameKey`. */
  readonly nameKey: string;
  /** Of the password with which it was opened. */
  readonly credential: string;
  readonly openedAt: Instant;
  readonly seenAt: Instant;
  readonly until: Instant;
  /** From where it was used last. */
  readonly address: string;
  /** What the browser calls itself. */
  readonly agent: string;
}
