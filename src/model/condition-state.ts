import type { Instant } from "../lib/instant.ts";

/** What a window condition remembers about one query, between two closed buckets. */
export interface ConditionState {
  readonly condition: string;
  /** Hash of what it learns, by which a rule that was edited finds it again. */
  readonly baseline: string;
  readonly state: unknown;
  /** It has judged every bucket that closed up to this moment. */
  readonly steppedUntil: Instant;
  /** Verdicts on buckets before this moment only teach. */
  readonly watchFrom: Instant;
}
