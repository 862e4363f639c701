import { DAY, type Instant, MINUTE } from "../lib/instant.ts";
import { worstDelayMs } from "../model/poll.ts";
import { formatQuirk, inOrder, QUIRKS } from "../model/server-quirk.ts";
import type { ShownBudget, ShownPoll, ShownQuirk, ShownWarmUp } from "../model/shown.ts";
import type { Rule } from "../rules/rule.ts";
import type { createConsoleStore } from "../store/console.ts";
import { rulesWarmingUp } from "./rules-warming-up.ts";

/** How complete the data is, and what is promised: durations in milliseconds, sums of the last 24 hours. */
export interface CoverageReport {
  readonly budgets: readonly (ShownBudget & { readonly left: number | null })[];
  readonly polls: readonly (ShownPoll & {
    /** How far behind now the data is complete. */
    readonly lagMs: number | null;
    /** How long a visible mention may wait at the source until it is read, by the current plan. */
    readonly worstDelayMs: number | null;
  })[];
  /** Every poll is long overdue, so no process polls; since how long. Null while one does. */
  readonly stoppedForMs: number | null;
  /** Rules that cannot fire yet. */
  readonly warmingUp: readonly ShownWarmUp[];
  /** The observed quirks of the source. */
  readonly quirks: readonly (ShownQuirk & { readonly says: string })[];
}

export async function readCoverage(
  facts: Pick<ReturnType<typeof createConsoleStore>, "budgets" | "coverage" | "quirks" | "watchedStates">,
  rules: readonly Rule[],
  now: Instant,
): Promise<CoverageReport> {
  const [budgets, polls, quirks, warmingUp] = await Promise.all([
    facts.budgets(),
    facts.coverage(now - DAY),
    facts.quirks(),
    rulesWarmingUp(facts, rules),
  ]);
  const overdue = polls.map(({ nextPollAt }) => now - nextPollAt);
  const leastOverdueMs = overdue.length === 0 ? 0 : Math.min(...overdue);
  return {
    stoppedForMs: leastOverdueMs > STOPPED_MS ? leastOverdueMs : null,
    warmingUp,
    quirks: inOrder(quirks).map((one) => ({
      ...one,
      says: `${QUIRKS[one.quirk].what}: ${formatQuirk(one)}`,
    })),
    budgets: budgets.map((budget) => ({
      ...budget,
      left: budget.limit === null ? null : Math.max(0, budget.limit - budget.used),
    })),
    polls: polls.map((poll) => ({
      ...poll,
      lagMs: poll.completeUntil === null ? null : Math.max(0, now - poll.completeUntil),
      worstDelayMs: worstDelayMs(poll, now),
    })),
  };
}

/** A used-up rate limit delays polls by some minutes. */
const STOPPED_MS = 15 * MINUTE;
