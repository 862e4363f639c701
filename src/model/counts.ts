import type { Instant } from "../lib/instant.ts";

/** A change of the count of one series: `n` mentions of event bucket `bucket` that arrived in bucket `arrived`. */
export interface CountChange {
  readonly series: string;
  readonly arrived: Instant;
  readonly bucket: Instant;
  /** Negative when a mention changed and left what the series counts. */
  readonly n: number;
}

/** Width of a bucket. Windows are judged when one closes. */
export const BUCKET_MS = 5 * 60_000;

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
