import { DAY, type Instant, MINUTE } from "../lib/instant.ts";
import type { Coverage } from "./coverage.ts";
import type { PollGap, PollState, RunningPoll } from "./poll-state.ts";

/**
 * The gap that a walk leaves. It is gone over again at once, GAP_TRIES times, and until then nothing is claimed to be
 * complete; after that it stands, is gone over again ever less often, and holds up nothing any more.
 *
 * @param goesOnFrom where the walk was cut off, if what is missing lies behind that
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
    // A server whose total is always a few too high must not have everything asked for three times: only more than is
    // known to be missing is a gap of its own.
    return missing > (gap.missing ?? 0) ? { ...gap, missing, tries: 1, nextAt: running.startedAt } : gap;
  }
  const noticedAt = gap?.noticedAt ?? running.startedAt;
  const from = goesOnFrom ?? since;
  // Cut off further on than before, it is getting on.
  const getsOn = goesOnFrom !== null && gap !== null && goesOnFrom > gap.from;
  const tries = getsOn ? 1 : (gap?.tries ?? 0) + 1;
  const pause = tries > GAP_TRIES ? Math.min(DAY, FIRST_PAUSE_MS * 2 ** (tries - GAP_TRIES - 1)) : 0;
  return { from, tries, missing, noticedAt, nextAt: running.startedAt + pause };
}

/** Whether nothing may be claimed to be complete, because the gap may yet be closed. */
export function holdsUp(gap: PollGap | null): boolean {
  return gap !== null && gap.tries <= GAP_TRIES;
}

/** Whether the next walk begins where the gap does. */
export function isGapDue(gap: PollGap, now: Instant): boolean {
  return holdsUp(gap) || now >= (gap.nextAt ?? now);
}

const GAP_TRIES = 2;
const FIRST_PAUSE_MS = 10 * MINUTE;
