import { MINUTE } from "../lib/instant.ts";
import type { Budget } from "./budget.ts";

/**
 * How long to wait after a 429 that names no time. The window rolls, refused calls seem to count, and waits of twenty
 * seconds were seen to fail; so each call above the limit waits for its share of the period, and never less than a
 * minute.
 */
export function waitForBudget(budget: Budget | null): number {
  if (budget === null) return MINUTE;
  const above = Math.max(0, (budget.used ?? budget.limit) - budget.limit) + 1;
  return Math.min(budget.periodMs, Math.max(MINUTE, (above * budget.periodMs) / budget.limit));
}
