import type { Instant } from "../lib/instant.ts";

/** An author or a story inside the span of time in which it counts once. The voice is a hash. */
export interface DistinctAuthorKey {
  readonly series: string;
  readonly author: string;
  readonly span: Instant;
}

export interface DistinctAuthor extends DistinctAuthorKey {
  /** The bucket in which its one count stands. */
  readonly bucket: Instant;
  /** Its mentions in the slice; 0: it is not counted. */
  readonly mentions: number;
}
