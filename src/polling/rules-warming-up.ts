import type { JsonValue } from "../lib/json.ts";
import type { ShownWarmUp } from "../model/shown.ts";
import type { NewRule, Rule, WindowRule } from "../rules/rule.ts";
import { AWAITS_FIRST_MENTION, type WarmUp, warmUpUntil } from "../rules/warm-up.ts";
import type { WatchedStates } from "../store/console/coverage.ts";

export interface WarmUpFacts {
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
