import type { Instant } from "../../lib/instant.ts";

/**
 * How many alerts one rule would open for one query, and whether it is held because they are too many. Moments are
 * domain time.
 */
export interface RuleFlood {
  readonly rule: string;
  /** The ten minutes that are counted, and how much in them opened an alert, or would have. */
  readonly windowFrom: Instant;
  readonly inWindow: number;
  /** Null: the rule is not held. */
  readonly heldAt: Instant | null;
  /** What opened no alert since. */
  readonly held: number;
  /** When the last of them came. */
  readonly lastAt: Instant;
}

/** A rule that is held for a query now. */
export interface HeldRule extends RuleFlood {
  readonly heldAt: Instant;
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string;
}
