import type { Instant } from "../lib/instant.ts";

/** The state of a window condition for one query, between two closed buckets. */
export interface ConditionState {
  readonly condition: string;
  /** Hash of the learned settings, by which an edited rule finds its state again. */
  readonly baseline: string;
  readonly state: unknown;
  /** It has judged every bucket that closed up to this moment. */
  readonly steppedUntil: Instant;
  /** Buckets before this moment only teach the baseline. */
  readonly watchFrom: Instant;
}
