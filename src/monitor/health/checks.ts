import type { HealthProblem } from "../model/operator-rules.ts";
import { buttonCheck } from "./checks/check-buttons.ts";
import { clockCheck } from "./checks/check-clock.ts";
import { correctionCheck } from "./checks/check-corrections.ts";
import { digestCheck } from "./checks/check-digests.ts";
import { feedCheck } from "./checks/check-feeds.ts";
import { floodCheck } from "./checks/check-floods.ts";
import { loopCheck } from "./checks/check-loop.ts";
import { outageCheck } from "./checks/check-outage.ts";
import { queryCheck } from "./checks/check-query.ts";
import { deadLetterCheck, queueCheck } from "./checks/check-queue.ts";
import { bounceCheck, pictureCheck, receiverCheck } from "./checks/check-receiver.ts";
import { sourceCheck } from "./checks/check-source.ts";
import { versionCheck } from "./checks/check-versions.ts";
import type { HealthCheck } from "./define-check.ts";
import type { OperatorConfig } from "./operators.ts";
import type { PipelineHealth } from "./pipeline-health.ts";

/** Every health check. A new one is a line here. One that explains others stands before them. */
const CHECKS: readonly HealthCheck[] = [
  clockCheck,
  sourceCheck,
  queryCheck,
  queueCheck,
  feedCheck,
  receiverCheck,
  bounceCheck,
  correctionCheck,
  pictureCheck,
  buttonCheck,
  digestCheck,
  floodCheck,
  outageCheck,
  deadLetterCheck,
  versionCheck,
  loopCheck,
];

/** The current problems of Earshot itself: a pure function of the facts, one problem for each cause. */
export function findProblems(health: PipelineHealth, settings: OperatorConfig): readonly HealthProblem[] {
  const found: HealthProblem[] = [];
  for (const check of CHECKS) found.push(...check(health, settings, found));
  return found;
}
