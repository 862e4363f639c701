import type { HealthProblem } from "../model/operator-rules.ts";
import type { OperatorConfig } from "./operators.ts";
import type { PipelineHealth } from "./pipeline-health.ts";

/**
 * Finds one kind of problem of Earshot itself: a pure function of the facts, one problem for each cause. `found` has what
 * the checks before it in the list have found: where that explains a problem, only the cause is one.
 */
export type HealthCheck = (
  health: PipelineHealth,
  settings: OperatorConfig,
  found: readonly HealthProblem[],
) => readonly HealthProblem[];
