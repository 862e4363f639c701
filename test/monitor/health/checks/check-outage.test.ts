import { expect, test } from "vitest";
import { checkOutages } from "../../../../src/monitor/health/checks/check-outage.ts";
import { findProblems } from "../../../../src/monitor/health/checks.ts";
import type { Outage } from "../../../../src/monitor/model/failure.ts";
import { describeQueueError } from "../../../../src/monitor/queue/failure.ts";
import { aLine, NOW, SETTINGS } from "../pipeline.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

function away(seconds: number, changes: Partial<Outage> = {}): Outage {
  const to = changes.to ?? NOW - MINUTE;
  return { engine: "database", outcome: "Away", from: to - seconds * SECOND, because: null, ...changes, to };
}

const QUEUE_ALERT = { from: NOW - 2 * MINUTE, to: NOW };

test.each<[string, Outage, typeof QUEUE_ALERT | null, string]>([
  ["a restart of a few seconds", away(19), null, "OnThePage"],
  ["twenty seconds", away(20), null, "WorthNotifying"],
  ["what ended ten minutes ago", away(60, { to: NOW - 10 * MINUTE }), null, "WorthNotifying"],
  ["what ended before that", away(60, { to: NOW - 10 * MINUTE - 1 }), null, "OnThePage"],
  ["a queue that was down for a minute", away(60, { engine: "queue" }), null, "WorthNotifying"],
  ["a queue whose standstill was reported", away(60, { engine: "queue" }), QUEUE_ALERT, "NotifiedMeanwhile"],
  [
    "a queue that was down before another standstill",
    away(30, { engine: "queue", to: NOW - 9 * MINUTE }),
    QUEUE_ALERT,
    "WorthNotifying",
  ],
  [
    "a queue that was down until a minute before its standstill was reported",
    away(30, { engine: "queue", to: QUEUE_ALERT.from - MINUTE }),
    QUEUE_ALERT,
    "NotifiedMeanwhile",
  ],
  [
    "a queue that was down until a little earlier",
    away(30, { engine: "queue", to: QUEUE_ALERT.from - MINUTE - 1 }),
    QUEUE_ALERT,
    "WorthNotifying",
  ],
  [
    "a queue that went down as its standstill ended",
    away(30, { engine: "queue", to: NOW - MINUTE }),
    { from: NOW - 5 * MINUTE, to: NOW - 90 * SECOND },
    "NotifiedMeanwhile",
  ],
  [
    "a queue that went down after its standstill",
    away(30, { engine: "queue", to: NOW - MINUTE }),
    { from: NOW - 5 * MINUTE, to: NOW - 90 * SECOND - 1 },
    "WorthNotifying",
  ],
  ["tables that were down while the queue stood still", away(60), QUEUE_ALERT, "WorthNotifying"],
  [
    "a queue that came back empty at once",
    away(0, { engine: "queue", outcome: "Emptied" }),
    null,
    "WorthNotifying",
  ],
  [
    "a queue that came back empty from a standstill",
    away(0, { engine: "queue", outcome: "Emptied" }),
    QUEUE_ALERT,
    "NotifiedMeanwhile",
  ],
])("%s", (_name, outage, queueAlert, outcome) => {
  expect(checkOutages([outage], queueAlert, NOW).outcome).toBe(outcome);
});

test("operators read what was down, for how long, by which error, and that nothing is lost", () => {
  expect(checkOutages([away(63, { because: "connect ECONNREFUSED" })], null, NOW)).toMatchObject({
    outcome: "WorthNotifying",
    because:
      "nothing was watched for 1m 3s: PostgreSQL could not be reached. The reason: connection refused. It is over, and nothing is lost: what was published meanwhile is read now, so alerts about it come late. If nobody restarted PostgreSQL, look at its log",
  });
});

test("all outages of one engine are one alert: that it was down, and that it came back empty", () => {
  const health = aLine({
    outages: [
      away(90, { to: NOW - MINUTE }),
      away(30, { to: NOW - 5 * MINUTE }),
      away(40, { engine: "queue" }),
      away(0, { engine: "queue", outcome: "Emptied" }),
    ],
  });
  const problems = findProblems(health, SETTINGS);
  expect(problems.map(({ rule, labels, values }) => [rule, labels, values])).toEqual([
    ["engine-was-away", { engine: "database" }, { forMs: 90 * SECOND }],
    ["engine-was-away", { engine: "queue" }, { forMs: 40 * SECOND }],
  ]);
  expect(problems[1]?.because).toMatch(
    /for 40s: the queue could not be reached.*look at its log\. The queue came back empty/,
  );
});

test("right after the tables came back the queue does not stand still", () => {
  const outages = [away(90, { to: NOW - 1_000 })];
  const problems = findProblems(aLine({ outages, lastJobAgoMs: 91_000 }), SETTINGS);
  expect(problems.map(({ rule }) => rule)).toEqual(["engine-was-away"]);
});

test("a queue that was away says nothing about how long feeds and jobs could be worked on", () => {
  const outages = [away(90, { engine: "queue", to: NOW - 1_000 })];
  const problems = findProblems(aLine({ outages, lastJobAgoMs: 91_000 }), SETTINGS);
  expect(problems.map(({ rule }) => rule)).toEqual(["queue-stands-still", "engine-was-away"]);
});

test("errors of the Redis client are explained in words for people", () => {
  const thrown = Object.assign(new Error('Reached the max retries. Refer to "maxRetriesPerRequest" option'), {
    name: "MaxRetriesPerRequestError",
  });
  expect(describeQueueError(thrown)).toBe("it does not answer");
  expect(describeQueueError(new Error("a sweep job was not taken", { cause: thrown }))).toBe(
    "a sweep job was not taken (it does not answer)",
  );
});

test("dead letters are one problem for each kind, with the reason of the newest", () => {
  const health = aLine({
    deadLetters: [
      { kind: "job", n: 1, since: NOW - MINUTE, reason: "rule negative: cannot read" },
      { kind: "page", n: 3, since: NOW - MINUTE, reason: "half a page" },
    ],
  });
  const problems = findProblems(health, SETTINGS);
  expect(problems.map(({ rule, labels }) => [rule, labels])).toEqual([
    ["dead-letters", { kind: "job" }],
    ["dead-letters", { kind: "page" }],
  ]);
  expect(problems[1]?.because).toContain(
    "3 pages of mentions failed at every try in the last hour and are left out. The reason of the newest: half a page. No rule",
  );
});
