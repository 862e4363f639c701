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

/** Every health check. A new one is a line here. One that explains others stands before them. */
export const CHECKS: readonly HealthCheck[] = [
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
