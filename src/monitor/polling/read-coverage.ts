import { DAY, type Instant, MINUTE } from "../../lib/instant.ts";
import type { JsonValue } from "../../lib/json.ts";
import { clockAheadMs, worstDelayMs } from "../model/poll.ts";
import type { ProcessVersions } from "../model/process.ts";
import { formatQuirk, inOrder, QUIRKS } from "../model/server-quirk.ts";
import type { ShownBudget, ShownPoll, ShownQuirk, ShownWarmUp } from "../model/shown.ts";
import type { NewRule, Rule, WindowRule } from "../rules/rule.ts";
import { AWAITS_FIRST_MENTION, type WarmUp, warmUpUntil } from "../rules/warm-up.ts";
import type { WatchedStates } from "../store/console/coverage.ts";
import type { createConsoleStore } from "../store/console.ts";

interface WarmUpFacts {
  /** The stored states of watched queries, of these baselines and memories of values only. */
  watchedStates(
    baselines: readonly string[],
    novelties: readonly string[],
  ): Promise<readonly WatchedStates[]>;
}

/** Rules that cannot fire on a query yet, because they have too little history. */
export async function rulesWarmingUp(
  facts: WarmUpFacts,
  rules: readonly Rule[],
): Promise<readonly ShownWarmUp[]> {
  const counting = rules.filter((rule) => rule.kind === "window");
  const looking = rules.filter((rule) => rule.kind === "new");
  if (counting.length + looking.length === 0) return [];
  const watched = await facts.watchedStates(
    counting.map(({ window }) => window.baseline),
    looking.map(({ novelty }) => novelty.key),
  );
  return watched.flatMap((query) => [
    ...counting.flatMap((rule) => shown(query, rule, windowWarmUp(query, rule))),
    ...looking.flatMap((rule) => shown(query, rule, noveltyWarmUp(query, rule))),
  ]);
}

/** A rule continues with what an earlier version of it has learned. */
function windowWarmUp({ states, tickedUntil, timezone }: WatchedStates, { window }: WindowRule) {
  const known =
    states.find(({ condition }) => condition === window.key) ??
    states.find(({ baseline }) => baseline === window.baseline);
  // The table contains what a step returned.
  const stored = known?.state as JsonValue | undefined;
  const isOfUse = stored !== undefined && window.canRead?.(stored) !== false;
  const state = isOfUse ? stored : window.initial();
  return window.warmUp(state, { until: tickedUntil, timezone });
}

function noveltyWarmUp({ valuesSince, tickedUntil, timezone }: WatchedStates, { novelty }: NewRule) {
  const since = valuesSince[novelty.key];
  if (since === undefined) return AWAITS_FIRST_MENTION;
  return warmUpUntil(since + novelty.learnMs, { until: tickedUntil, timezone });
}

function shown(query: WatchedStates, rule: WindowRule | NewRule, warmUp: WarmUp | undefined): ShownWarmUp[] {
  if (warmUp === undefined || !rule.appliesTo(query)) return [];
  const { projectId, projectName, queryId, name: queryName } = query;
  const [kind, counts] =
    rule.kind === "new"
      ? [`new ${rule.novelty.facet}`, rule.novelty.subject]
      : [rule.window.type, rule.window.subject];
  return [{ projectId, projectName, queryId, queryName, rule: rule.name, kind, counts, ...warmUp }];
}

/** How complete the data is, and what is promised: durations in milliseconds, sums of the last 24 hours. */
export interface CoverageReport {
  readonly budgets: readonly (ShownBudget & { readonly left: number | null })[];
  readonly polls: readonly (ShownPoll & {
    /** How far behind now the data is complete. */
    readonly lagMs: number | null;
    /** How long a visible mention may wait at the source until it is read, by the current plan. */
    readonly worstDelayMs: number | null;
    /** How far a clock was ahead that wrote of it; null: none was. */
    readonly clockAheadMs: number | null;
  })[];
  /** Every poll is long overdue, so no process polls; since how long. Null while one does. */
  readonly stoppedForMs: number | null;
  /** Rules that cannot fire yet. */
  readonly warmingUp: readonly ShownWarmUp[];
  /** The observed quirks of the source. */
  readonly quirks: readonly (ShownQuirk & { readonly says: string })[];
  /** The processes that run, and the version of the configuration of each. */
  readonly configuration: ProcessVersions;
}

export async function readCoverage(
  facts: Pick<
    ReturnType<typeof createConsoleStore>,
    "budgets" | "coverage" | "quirks" | "watchedStates" | "processVersions"
  >,
  rules: readonly Rule[],
  now: Instant,
): Promise<CoverageReport> {
  const [budgets, polls, quirks, warmingUp, configuration] = await Promise.all([
    facts.budgets(),
    facts.coverage(now - DAY),
    facts.quirks(),
    rulesWarmingUp(facts, rules),
    facts.processVersions(),
  ]);
  const overdue = polls.map(({ nextPollAt }) => now - nextPollAt);
  const leastOverdueMs = overdue.length === 0 ? 0 : Math.min(...overdue);
  return {
    stoppedForMs: leastOverdueMs > STOPPED_MS ? leastOverdueMs : null,
    warmingUp,
    configuration,
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
      clockAheadMs: clockAheadMs([poll.polledAt, poll.completeUntil, poll.tickedUntil], now),
    })),
  };
}

/** A used-up rate limit delays polls by some minutes. */
const STOPPED_MS = 15 * MINUTE;
