import { OperatorConfig } from "../../../src/monitor/health/operators.ts";
import type { PipelineHealth } from "../../../src/monitor/health/pipeline-health.ts";
import type { Failure } from "../../../src/monitor/model/failure.ts";

export const NOW = Date.UTC(2026, 2, 2, 12);
export const SETTINGS = OperatorConfig.parse({});

/** A healthy pipeline, with the changes of a test. */
export function aLine(changes: Partial<PipelineHealth> = {}): PipelineHealth {
  return {
    failures: [],
    progress: [aQuery()],
    rhythms: [],
    waiting: {
      polls: 0,
      oldestPollMs: 0,
      lastPolledAt: NOW - 30_000,
      deliveries: 0,
      oldestDeliveryMs: 0,
      windows: 0,
    },
    digests: [],
    outages: [],
    deadLetters: [],
    lastJobAgoMs: 1_000,
    upForMs: 24 * 3_600_000,
    pollEveryMs: { account: 60_000, feeds: 0 },
    feeds: [],
    silentFeeds: new Set(),
    receivers: ["comms", "on-call"],
    addresses: new Map([["on-call", "duty@brand.example"]]),
    withButtons: new Set(["comms"]),
    givenUp: [],
    bounces: [],
    uncorrected: [],
    heldRules: [],
    queueAlert: null,
    openLags: new Set(),
    versions: { asked: null, processes: [] },
    jumpedMs: 0,
    now: NOW,
    wall: NOW,
    ...changes,
  };
}

export function aQuery(
  changes: Partial<PipelineHealth["progress"][number]> = {},
): PipelineHealth["progress"][number] {
  return {
    projectId: "1",
    queryId: "1",
    queryName: "Acme",
    watchFrom: NOW - 24 * 3_600_000,
    completeUntil: NOW - 60_000,
    tickedUntil: NOW - 5 * 60_000,
    polledAt: NOW - 60_000,
    lastError: null,
    ...changes,
  };
}

export function aFailure(changes: Partial<Failure> = {}): Failure {
  return {
    kind: "call",
    scope: "account",
    reason: "unauthorized",
    message: "mentions: 401 the token was refused",
    final: true,
    since: NOW - 60_000,
    forMs: 60_000,
    lastAgoMs: 1_000,
    times: 1,
    checkFailed: false,
    ...changes,
  };
}
