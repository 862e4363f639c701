import { DAY, type Instant, MINUTE } from "../../lib/instant.ts";
import type { Mention } from "./mention.ts";

/** A change of the count of one series: `n` mentions of event bucket `bucket` that arrived in bucket `arrived`. */
export interface CountChange {
  readonly series: string;
  readonly arrived: Instant;
  readonly bucket: Instant;
  /** Negative when a mention changed and left what the series counts. */
  readonly n: number;
}

/** Width of a bucket. Windows are judged when one closes. */
export const BUCKET_MS = 5 * MINUTE;

export const DAY_BUCKETS = DAY / BUCKET_MS;

/** Authors of that long ago are in no window any more. */
export const DISTINCT_AUTHORS_FOR_MS = 7 * DAY;
/** Values that come back after that long may count as new. */
export const VALUES_FOR_MS = 400 * DAY;

/** Judged this much further than now, a clock was ahead: less is over before learning again is worth it. */
export const JUDGED_AHEAD_MS = 3 * BUCKET_MS;

/** A value (hashtag, domain, author) that a `new` rule has seen, stored as a hash. */
export interface SeenValue {
  readonly series: string;
  readonly value: string;
  /** Its earliest mention, by the mention's own time. */
  readonly firstAt: Instant;
  /** Hashes of the authors who used it while it was new, as many as the rule needs. */
  readonly authors: readonly string[];
}

/** An author or a story, counted once in a span of time. The author is a hash. */
export interface DistinctAuthorKey {
  readonly series: string;
  readonly author: string;
  readonly span: Instant;
}

export interface DistinctAuthor extends DistinctAuthorKey {
  /** The bucket that holds its one count. */
  readonly bucket: Instant;
  /** Its mentions in the slice; 0: not counted. */
  readonly mentions: number;
}

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
