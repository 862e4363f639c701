import type { HealthProblem } from "../model/operator-rules.ts";
import { CHECKS } from "./checks.ts";
import type { OperatorConfig } from "./operators.ts";
import type { PipelineHealth } from "./pipeline-health.ts";

/** The current problems of Earshot itself: a pure function of the facts, one problem for each cause. */
export function findProblems(health: PipelineHealth, settings: OperatorConfig): readonly HealthProblem[] {
  const found: HealthProblem[] = [];
  for (const check of CHECKS) found.push(...check(health, settings, found));
  return found;
}
