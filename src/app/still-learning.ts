import type { JsonValue } from "../lib/json.ts";
import type { ShownWarmUp } from "../model/shown.ts";
import type { Rule, WindowRule } from "../rules/rule.ts";
import type { WatchedStates } from "../store/console/learning.ts";

export interface LearningFacts {
  /** What is remembered of the queries that are watched, of these baselines only. */
  watchedStates(baselines: readonly string[]): Promise<readonly WatchedStates[]>;
}

/** Which rules cannot fire on which query yet, because they have too little history for what they expect. */
export async function stillLearning(
  facts: LearningFacts,
  rules: readonly Rule[],
): Promise<readonly ShownWarmUp[]> {
  const counting = rules.filter((rule) => rule.kind === "window");
  if (counting.length === 0) return [];
  const watched = await facts.watchedStates(counting.map(({ window }) => window.baseline));
  return watched.flatMap((query) =>
    counting.filter((rule) => rule.appliesTo(query)).flatMap((rule) => warmUpOf(query, rule)),
  );
}

/** What a rule knows under an earlier form of itself it will go on from. */
function warmUpOf(query: WatchedStates, { name, window }: WindowRule): ShownWarmUp[] {
  const { projectId, projectName, queryId, name: queryName, tickedUntil, timezone, states } = query;
  const known =
    states.find(({ condition }) => condition === window.key) ??
    states.find(({ baseline }) => baseline === window.baseline);
  // What stands in the table is what a step returned.
  const state = known === undefined ? window.initial() : (known.state as JsonValue);
  const warmUp = window.warmUp(state, { until: tickedUntil, timezone });
  if (warmUp === undefined) return [];
  return [
    {
      projectId,
      projectName,
      queryId,
      queryName,
      rule: name,
      kind: window.type,
      counts: window.subject,
      ...warmUp,
    },
  ];
}
