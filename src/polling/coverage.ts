import type { Instant } from "../lib/instant.ts";

/** What one finished poll claims: it saw everything that arrived in [from, to). */
export interface Claim {
  readonly from: Instant;
  readonly to: Instant;
  /** The source's total at the start of the poll; null if it did not count. */
  readonly total: number | null;
  /** Distinct rows that it sent, with those that could not be stored. */
  readonly seen: number;
}

export type Coverage = Claim &
  (
    | { readonly outcome: "Complete" }
    /** The source did not count, so nothing contradicts the claim. */
    | { readonly outcome: "Uncounted" }
    /** The source sent fewer than its total. */
    | { readonly outcome: "Gap"; readonly missing: number }
  );

/**
 * Compares a claim with the source's total. More than the total is no fault: mentions arrive while the pages are
 * fetched, and the total is from the first.
 */
export function coverageOf(claim: Claim): Coverage {
  if (claim.total === null) return { ...claim, outcome: "Uncounted" };
  const missing = claim.total - claim.seen;
  return missing > 0 ? { ...claim, outcome: "Gap", missing } : { ...claim, outcome: "Complete" };
}
