import type { Instant } from "../lib/instant.ts";

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
