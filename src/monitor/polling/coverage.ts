import { DAY, type Instant, MINUTE } from "../../lib/instant.ts";
import type { PollGap, PollState, RunningPoll } from "../model/poll-state.ts";

/** What one finished poll claims: it saw everything that arrived in [from, to). */
interface Claim {
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

/**
 * The gap that a poll leaves. It is polled again at once, GAP_TRIES times, and until then nothing is claimed to be
 * complete. After that the gap stays, is polled again ever less often, and delays nothing any more.
 *
 * @param goesOnFrom where the poll was cut off, if the missing mentions lie behind that
 */
export function gapAfter(
  { gap }: PollState,
  running: RunningPoll,
  coverage: Coverage,
  goesOnFrom: Instant | null,
): PollGap | null {
  const since = running.passFrom ?? running.since;
  const covers = gap === null || since <= gap.from;
  if (coverage.outcome !== "Gap") return covers ? null : gap;
  const { missing } = coverage;
  if (gap !== null && !covers) {
    // A server whose total is always a few too high must not cause three polls each time: only more than the known
    // missing number is a new gap.
    return missing > (gap.missing ?? 0) ? { ...gap, missing, tries: 1, nextAt: running.startedAt } : gap;
  }
  const noticedAt = gap?.noticedAt ?? running.startedAt;
  const from = goesOnFrom ?? since;
  // The cut-off moved forward, so the poll advances.
  const getsOn = goesOnFrom !== null && gap !== null && goesOnFrom > gap.from;
  const tries = getsOn ? 1 : (gap?.tries ?? 0) + 1;
  const pause = tries > GAP_TRIES ? Math.min(DAY, FIRST_PAUSE_MS * 2 ** (tries - GAP_TRIES - 1)) : 0;
  return { from, tries, missing, noticedAt, nextAt: running.startedAt + pause };
}

/**
 * The gap as the poll leaves it that noticed it. Which query of a shared call misses something is unknown, and most of
 * such totals are right the next time: one call for all of them is made before one for each.
 */
export function gapOfCall(gap: PollGap | null, isShared: boolean): PollGap | null {
  if (gap === null) return null;
  const { together: _, ...rest } = gap;
  return isShared && gap.tries === 1 ? { ...rest, together: true } : rest;
}

/**
 * How many of the mentions that a query is known to miss, and of which nothing more is expected, arrived since a moment, as
 * if they had come evenly: one with some of them at least.
 */
export function missingSince(gap: PollGap | null, since: Instant, now: Instant): number {
  if (gap === null || holdsUp(gap)) return 0;
  const share = Math.min(1, Math.max(0, now - since) / Math.max(1, now - gap.from));
  return Math.ceil((gap.missing ?? 0) * share);
}

/** Whether nothing may be claimed to be complete, because the gap may still close. */
export function holdsUp(gap: PollGap | null): boolean {
  return gap !== null && gap.tries <= GAP_TRIES;
}

/** Whether the next poll begins where the gap does. */
export function isGapDue(gap: PollGap, now: Instant): boolean {
  return holdsUp(gap) || now >= (gap.nextAt ?? now);
}

const GAP_TRIES = 2;
const FIRST_PAUSE_MS = 10 * MINUTE;
