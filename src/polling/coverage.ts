import type { Instant } from "../lib/instant.ts";

/** What one finished walk claims: that everything which arrived in [from, to) was seen. */
export interface Claim {
  readonly from: Instant;
  readonly to: Instant;
  /** How many the source said there were when the walk began; null where it did not count. */
  readonly total: number | null;
  /** Different rows that it sent, with those that could not be kept. */
  readonly seen: number;
}

export type Coverage = Claim &
  (
    | { readonly outcome: "Complete" }
    /** The source did not count, so nothing speaks against it. */
    | { readonly outcome: "Uncounted" }
    /** The source sent fewer than it said there were. */
    | { readonly outcome: "Gap"; readonly missing: number }
  );

/**
 * Holds a claim against what the source said. More than it said is no fault: mentions go on arriving while the pages
 * are fetched, and the count is from before the first.
 */
export function coverageOf(claim: Claim): Coverage {
  if (claim.total === null) return { ...claim, outcome: "Uncounted" };
  const missing = claim.total - claim.seen;
  return missing > 0 ? { ...claim, outcome: "Gap", missing } : { ...claim, outcome: "Complete" };
}
