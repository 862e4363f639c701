import type { Instant } from "../../lib/instant.ts";
import { floodWindowOf, isOver, type RuleFlood } from "../model/rule-flood.ts";

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
  const isNext = floodWindowOf(at) > before.windowFrom;
  const resumes = before.heldAt !== null && isOver(before, at, limit);
  const flood: RuleFlood = {
    ...before,
    windowFrom: isNext ? floodWindowOf(at) : before.windowFrom,
    inWindow: isNext ? 1 : before.inWindow + 1,
    ...(resumes && { heldAt: null, held: 0 }),
    lastAt: Math.max(before.lastAt, at),
  };
  if (flood.heldAt !== null) return { outcome: "Held", flood: { ...flood, held: flood.held + 1 } };
  if (resumes) return { outcome: "Resumes", flood };
  if (flood.inWindow <= limit) return { outcome: "Opens", flood };
  return { outcome: "Holds", flood: { ...flood, heldAt: at, held: 1 } };
}
