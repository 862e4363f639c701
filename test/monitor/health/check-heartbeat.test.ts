import { expect, test } from "vitest";
import { checkHeartbeat } from "../../../src/monitor/health/check-heartbeat.ts";
import { findProblems } from "../../../src/monitor/health/checks.ts";
import type { PipelineHealth } from "../../../src/monitor/health/pipeline-health.ts";
import { aFailure, aLine, aQuery, NOW, SETTINGS } from "./pipeline.ts";

const MINUTE = 60_000;

test.each<[string, Partial<PipelineHealth>, string]>([
  ["all is well", {}, "Beats"],
  ["nothing is watched", { progress: [] }, "NotPolled"],
  ["nothing was read yet", { progress: [aQuery({ completeUntil: null })] }, "NotPolled"],
  ["the login is refused", { failures: [aFailure()] }, "NotPolled"],
  [
    "the line was off for a day",
    { progress: [aQuery({ completeUntil: NOW - 86_400_000 })], upForMs: 1 },
    "NotPolled",
  ],
  ["windows are not judged", { progress: [aQuery({ tickedUntil: NOW - 20 * MINUTE })] }, "NotJudged"],
  ["the queue stands still", { lastJobAgoMs: 2 * MINUTE }, "CannotDeliver"],
  ["a receiver refuses", { failures: [aFailure({ kind: "receiver", scope: "comms" })] }, "CannotDeliver"],
  [
    "a digest is late, which says nothing about alerts",
    {
      digests: [
        { name: "d", localDate: "2026-03-02", dueAt: NOW - 86_400_000, error: null, deadLetters: false },
      ],
    },
    "Beats",
  ],
])("%s", (_name, changes, outcome) => {
  const health = aLine(changes);
  expect(checkHeartbeat(health, findProblems(health, SETTINGS), SETTINGS).outcome).toBe(outcome);
});
