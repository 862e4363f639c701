import type { Instant } from "../lib/instant.ts";

/** A value (hashtag, domain, author) that a `new` rule has seen, stored as a hash. */
export interface SeenValue {
  readonly series: string;
  readonly value: string;
  /** Its earliest mention, by the mention's own time. */
  readonly firstAt: Instant;
  /** Hashes of the authors who used it while it was new, as many as the rule needs. */
  readonly authors: readonly string[];
}
