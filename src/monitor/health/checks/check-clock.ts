import { formatDuration } from "../../../lib/duration.ts";
import type { Instant } from "../../../lib/instant.ts";
import type { QueryProgress } from "../../model/pipeline-facts.ts";
import { clockAheadMs } from "../../model/poll.ts";
import type { HealthCheck } from "../define-check.ts";

type ClockVerdict =
  | { readonly outcome: "Steady" }
  | { readonly outcome: "Jumped" | "WasAhead"; readonly byMs: number; readonly because: string };

const ADVICE =
  "Let every machine with Earshot or its database follow a time server (NTP); earshot doctor compares their clocks";

/**
 * Whether a clock jumped, or wrote moments that are still to come. `jumpedMs`: how far the clock of this process moved
 * since the last check beyond the time that passed; negative: it was set back.
 */
export function checkClock(
  { jumpedMs, progress }: { readonly jumpedMs: number; readonly progress: readonly QueryProgress[] },
  now: Instant,
): ClockVerdict {
  if (Math.abs(jumpedMs) > JUMP_MS) {
    const byMs = Math.abs(jumpedMs);
    const way = jumpedMs > 0 ? "forward" : "back";
    return {
      outcome: "Jumped",
      byMs,
      because: `the clock of this machine jumped ${way} by ${formatDuration(byMs)}. Ages that Earshot gives may be wrong by that much. Polls go on at once. ${ADVICE}`,
    };
  }
  const aheadMs = clockAheadMs(
    progress.flatMap(({ polledAt, completeUntil, tickedUntil }) => [polledAt, completeUntil, tickedUntil]),
    now,
  );
  if (aheadMs === null) return { outcome: "Steady" };
  return {
    outcome: "WasAhead",
    byMs: aheadMs,
    because: `a clock was ahead by ${formatDuration(aheadMs)} and was set back: queries count as read up to a time that is still to come. They are polled again at once, and rules on counts learn again from what is stored. ${ADVICE}`,
  };
}

/** Slower corrections of a clock are no jump. */
const JUMP_MS = 60_000;

/** A clock that jumped. */
export const clockCheck: HealthCheck = (health) => {
  const verdict = checkClock(health, health.now);
  if (verdict.outcome === "Steady") return [];
  const { byMs, because } = verdict;
  return [{ rule: "clock-jumped", labels: {}, since: health.now, because, values: { byMs } }];
};
