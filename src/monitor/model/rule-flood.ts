import { floorTo, type Instant, MINUTE } from "../../lib/instant.ts";

/** What comes in these times is counted together. */
export const FLOOD_MS = 10 * MINUTE;

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

export function floodWindowOf(at: Instant): Instant {
  return floorTo(at, FLOOD_MS);
}

/** Whether evidence that came at `at` would open an alert of a held rule again. */
export function isOver({ windowFrom, inWindow }: RuleFlood, at: Instant, limit: number): boolean {
  const window = floodWindowOf(at);
  return window > windowFrom + FLOOD_MS || (window > windowFrom && inWindow < limit);
}
