import { type Clock, monotonicMs } from "../../lib/clock.ts";
import { type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import { createSkipWaiting } from "./skip-waiting.ts";
import { type SweepOptions, type SweepParts, type SweepResult, sweep } from "./sweep.ts";

const PUBLISH_EVERY_MS = 15 * SECOND;

/** One sweep now; now and then it publishes the plan. */
export function createSweep(
  parts: Omit<SweepParts, "skipWaiting"> & {
    readonly publishPlans: (now: Instant) => Promise<void>;
    readonly clock: Clock;
  },
): (options?: SweepOptions) => Promise<SweepResult> {
  const { publishPlans, clock, ...swept } = parts;
  const skipWaiting = createSkipWaiting(parts.queues);
  let publishedAt = Number.NEGATIVE_INFINITY;
  return async (options) => {
    const now = clock.now();
    if (monotonicMs() - publishedAt > PUBLISH_EVERY_MS) {
      publishedAt = monotonicMs();
      await publishPlans(now);
    }
    return sweep({ ...swept, ...options, skipWaiting }, now);
  };
}

/** Sweeps follow the clock: often enough for its pace, seldom enough for the machine. */
export function sweepEveryMs(clock: Clock): number | null {
  if (clock.speed === 0) return null;
  return Math.min(1_000, Math.max(100, Math.round(MINUTE / 4 / clock.speed)));
}
