import type { Instant } from "../lib/instant.ts";
import type { PollKey } from "./poll.ts";

/** What one poll read of an arrival interval: the server's total, and what was stored. */
export interface CoverageInterval extends PollKey {
  readonly startedAt: Instant;
  readonly fromAt: Instant;
  readonly untilAt: Instant;
  /** The server's total; null if it gave none. */
  readonly claimed: number | null;
  /** Distinct mentions read. */
  readonly seen: number;
  /** Of those, new ones. */
  readonly stored: number;
  /** Read, but not storable; each is a dead letter with its reason. */
  readonly rejected: number;
  /** How many are missing. */
  readonly gap: number;
}
