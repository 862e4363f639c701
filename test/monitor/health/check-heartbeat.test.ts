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

const reasonOf = (changes: Partial<PipelineHealth>) => {
  const health = aLine(changes);
  const heartbeat = checkHeartbeat(health, [], SETTINGS);
  return heartbeat.outcome === "Beats" ? heartbeat.outcome : heartbeat.reason;
};

test.each<[string, Partial<PipelineHealth>, string]>([
  [
    "the first query that is late is named",
    {
      progress: [
        aQuery(),
        aQuery({ queryName: "Bolt", completeUntil: NOW - 40 * MINUTE }),
        aQuery({ queryName: "Coyote", completeUntil: NOW - 50 * MINUTE }),
      ],
    },
    "Bolt is read up to 40m ago",
  ],
  [
    "a query that was never read is late since it is watched",
    {
      progress: [aQuery(), aQuery({ queryName: "Bolt", completeUntil: null, watchFrom: NOW - 40 * MINUTE })],
    },
    "Bolt has been watched for 40m, and was not read to its end yet",
  ],
  [
    "three intervals of a slow account are no lag",
    {
      progress: [aQuery({ completeUntil: NOW - 60 * MINUTE, tickedUntil: NOW - 60 * MINUTE })],
      pollEveryMs: { account: 20 * MINUTE, feeds: 0 },
    },
    "Beats",
  ],
  [
    "more than three are",
    {
      progress: [aQuery({ completeUntil: NOW - 61 * MINUTE })],
      pollEveryMs: { account: 20 * MINUTE, feeds: 0 },
    },
    "Acme is read up to 1h 1m ago",
  ],
  [
    "the first query whose windows wait is named",
    {
      progress: [
        aQuery({ completeUntil: null, watchFrom: NOW }),
        aQuery({ completeUntil: NOW, tickedUntil: NOW - 15 * MINUTE }),
        aQuery({ queryName: "Bolt", completeUntil: NOW, tickedUntil: NOW - 16 * MINUTE }),
        aQuery({ queryName: "Coyote", completeUntil: NOW, tickedUntil: NOW - 17 * MINUTE }),
      ],
    },
    "windows of Bolt have waited for their verdict for 16m",
  ],
])("%s", (_name, changes, reason) => {
  expect(reasonOf(changes)).toBe(reason);
});
