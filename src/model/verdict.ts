import type { Instant } from "../lib/instant.ts";
import type { Mention } from "./mention.ts";

/** The verdict of a condition: not met, or met, with one sentence of numbers. */
export type Verdict =
  | { readonly met: false; readonly because?: string }
  | { readonly met: true; readonly because: string };

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

/** A mention that met a mention rule, and the alert that it goes to. */
export interface Match {
  readonly rule: string;
  readonly mention: Mention;
  readonly alertId: string;
  readonly at: Instant;
  readonly because: string;
}

/** The key by which a mention alerts once for a rule, however often it is read or changed. */
export function matchKey(rule: string, mention: { queryId: string; resourceId: string }): string {
  return JSON.stringify([rule, mention.queryId, mention.resourceId]);
}
