import type { Instant } from "../lib/instant.ts";
import type { PollKey } from "./poll.ts";

/** What one walk saw of an interval of arrival: what the server said there was, and what was stored of it. */
export interface CoverageInterval extends PollKey {
  readonly startedAt: Instant;
  readonly fromAt: Instant;
  readonly untilAt: Instant;
  /** The server's own total; null when it gave none. */
  readonly claimed: number | null;
  /** Distinct mentions read. */
  readonly seen: number;
  /** Of those, new ones. */
  readonly stored: number;
  /** Read and not storable; each is set aside with its reason. */
  readonly rejected: number;
  /** How many are missing. */
  readonly gap: number;
}
