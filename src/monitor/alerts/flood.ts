import { floorTo, type Instant, MINUTE } from "../../lib/instant.ts";
import type { RuleFlood } from "../model/rule-flood.ts";

/** What comes in these times is counted together. */
export const FLOOD_MS = 10 * MINUTE;

export interface FloodStep {
  readonly outcome: "Opens" | "Holds" | "Held" | "Resumes";
  readonly flood: RuleFlood;
}

/**
 * Whether evidence at `at` may open an alert of its rule, in event time. Above `limit` in ten minutes the rule is held:
 * so many alerts help nobody, and whoever is notified by other rules must not wait for them. It goes on by itself with
 * the first evidence after ten minutes in which fewer than `limit` would have opened an alert. Evidence that comes late
 * counts into the present ten minutes.
 */
export function admit(before: RuleFlood, at: Instant, limit: number): FloodStep {
  const isNext = windowOf(at) > before.windowFrom;
  const resumes = before.heldAt !== null && isOver(before, at, limit);
  const flood: RuleFlood = {
    ...before,
    windowFrom: isNext ? windowOf(at) : before.windowFrom,
    inWindow: isNext ? 1 : before.inWindow + 1,
    ...(resumes && { heldAt: null, held: 0 }),
    lastAt: Math.max(before.lastAt, at),
  };
  if (flood.heldAt !== null) return { outcome: "Held", flood: { ...flood, held: flood.held + 1 } };
  if (resumes) return { outcome: "Resumes", flood };
  if (flood.inWindow <= limit) return { outcome: "Opens", flood };
  return { outcome: "Holds", flood: { ...flood, heldAt: at, held: 1 } };
}

/** Whether evidence that came at `at` would open an alert again. */
export function isOver({ windowFrom, inWindow }: RuleFlood, at: Instant, limit: number): boolean {
  const window = windowOf(at);
  return window > windowFrom + FLOOD_MS || (window > windowFrom && inWindow < limit);
}

export function windowOf(at: Instant): Instant {
  return floorTo(at, FLOOD_MS);
}
