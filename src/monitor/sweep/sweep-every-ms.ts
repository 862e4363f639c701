import type { Clock } from "../../lib/clock.ts";
import { MINUTE } from "../../lib/instant.ts";

/** Sweeps follow the clock: often enough for its pace, seldom enough for the machine. */
export function sweepEveryMs(clock: Clock): number | null {
  if (clock.speed === 0) return null;
  return Math.min(1_000, Math.max(100, Math.round(MINUTE / 4 / clock.speed)));
}
