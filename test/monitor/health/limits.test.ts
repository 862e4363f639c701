import { expect, test } from "vitest";
import { checkHeartbeat } from "../../../src/monitor/health/check-heartbeat.ts";
import { findProblems } from "../../../src/monitor/health/checks.ts";
import { OperatorConfig } from "../../../src/monitor/health/operators.ts";
import type { PipelineHealth } from "../../../src/monitor/health/pipeline-health.ts";
import type { Failure } from "../../../src/monitor/model/failure.ts";
import type { HealthProblem } from "../../../src/monitor/model/operator-rules.ts";
import { aFailure, aLine, aQuery, NOW, SETTINGS } from "./pipeline.ts";

// Each limit at its edge, and what operators read: whole sentences, about one and about several.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const problems = (changes: Partial<PipelineHealth>, settings = SETTINGS): readonly HealthProblem[] =>
  findProblems(aLine(changes), settings);
const behind = (ms: number, more: Partial<PipelineHealth["progress"][number]> = {}) =>
  aQuery({ completeUntil: NOW - ms, ...more });
const waiting = (changes: Partial<PipelineHealth["waiting"]>): Partial<PipelineHealth> => ({
  waiting: { ...aLine().waiting, ...changes },
});
const receiver = (changes: Partial<Failure> = {}): Failure =>
  aFailure({ kind: "receiver", scope: "comms", final: false, message: "HTTP 503", ...changes });
const buttons = (changes: Partial<Failure> = {}): Failure =>
  aFailure({
    kind: "extra",
    scope: "buttons: slack",
    final: false,
    forMs: 10 * MINUTE,
    times: 3,
    ...changes,
  });
const silent = (changes: Partial<PipelineHealth["rhythms"][number]> = {}) => ({
  ...{ projectId: "1", queryId: "1", queryName: "Acme", silentSince: NOW - HOUR, completeUntil: NOW },
  ...{ before: [12, 40, 60], ...changes },
});

test.each<[string, Partial<PipelineHealth>, number, OperatorConfig?]>([
  [
    "a lag just after a start as long ago as its limit",
    { progress: [behind(31 * MINUTE)], upForMs: 30 * MINUTE },
    1,
  ],
  ["a lag a moment earlier", { progress: [behind(31 * MINUTE)], upForMs: 30 * MINUTE - 1 }, 0],
  [
    "a lag that was reported before a start",
    { progress: [behind(16 * MINUTE)], upForMs: 1, openLags: new Set(["account"] as const) },
    1,
  ],
  ["the engine at its limit", { lastJobAgoMs: MINUTE }, 0],
  ["the engine beyond it", { lastJobAgoMs: MINUTE + 1 }, 1],
  ["the engine at a shorter limit", { lastJobAgoMs: 30_000 }, 0, OperatorConfig.parse({ standstill: "30s" })],
  ["the engine beyond that", { lastJobAgoMs: 30_001 }, 1, OperatorConfig.parse({ standstill: "30s" })],
  ["the engine at its least limit", { lastJobAgoMs: 10_000 }, 0, OperatorConfig.parse({ standstill: "2s" })],
  ["the engine beyond this", { lastJobAgoMs: 10_001 }, 1, OperatorConfig.parse({ standstill: "2s" })],
  ["a message at its limit", waiting({ deliveries: 1, oldestDeliveryMs: 5 * MINUTE }), 0],
  ["a message beyond it", waiting({ deliveries: 1, oldestDeliveryMs: 5 * MINUTE + 1 }), 1],
  ["no message, of which the oldest is old", waiting({ deliveries: 0, oldestDeliveryMs: HOUR }), 0],
  ["a poll at its limit", waiting({ polls: 1, oldestPollMs: 15 * MINUTE, lastPolledAt: null }), 0],
  ["a poll beyond it", waiting({ polls: 1, oldestPollMs: 15 * MINUTE + 1, lastPolledAt: null }), 1],
  ["no poll, of which the oldest is old", waiting({ polls: 0, oldestPollMs: HOUR, lastPolledAt: null }), 0],
  [
    "a poll that comes every ten minutes, at twice of them",
    {
      ...waiting({ polls: 1, oldestPollMs: 20 * MINUTE, lastPolledAt: null }),
      pollEveryMs: { account: 10 * MINUTE, feeds: 0 },
    },
    0,
  ],
  [
    "that poll, beyond",
    {
      ...waiting({ polls: 1, oldestPollMs: 20 * MINUTE + 1, lastPolledAt: null }),
      pollEveryMs: { account: 10 * MINUTE, feeds: 0 },
    },
    1,
  ],
  ["a receiver at both of its limits", { failures: [receiver({ forMs: 10 * MINUTE, times: 3 })] }, 1],
  ["a receiver a moment earlier", { failures: [receiver({ forMs: 10 * MINUTE - 1, times: 3 })] }, 0],
  ["a receiver a try earlier", { failures: [receiver({ forMs: 10 * MINUTE, times: 2 })] }, 0],
  ["buttons at their limit", { failures: [buttons()] }, 1],
  ["buttons a moment earlier", { failures: [buttons({ forMs: 10 * MINUTE - 1 })] }, 0],
  ["buttons that were tried five minutes ago", { failures: [buttons({ lastAgoMs: 5 * MINUTE })] }, 1],
  ["buttons that were tried longer ago", { failures: [buttons({ lastAgoMs: 5 * MINUTE + 1 })] }, 0],
  ["a failure of something else", { failures: [buttons({ scope: "summaries" })] }, 0],
  ["a query that is silent for its least time", { rhythms: [silent()] }, 1],
  ["a query a moment earlier", { rhythms: [silent({ silentSince: NOW - HOUR + 1 })] }, 0],
  ["a query that usually brings just too little", { rhythms: [silent({ before: [11, 40, 60] })] }, 0],
  [
    "a query of seven days, two of them quiet",
    { rhythms: [silent({ before: [60, 3, 50, 4, 40, 70, 80] })] },
    0,
  ],
  [
    "a query of seven days, one of them quiet",
    { rhythms: [silent({ before: [60, 3, 50, 12, 40, 70, 80] })] },
    1,
  ],
  ["five silent queries", { rhythms: Array.from({ length: 5 }, () => silent()) }, 5],
  ["six silent queries", { rhythms: Array.from({ length: 6 }, () => silent()) }, 1],
])("%s", (_name, changes, n, settings) => {
  expect(problems(changes, settings)).toHaveLength(n);
});

test("a lag is critical beyond four times its limit", () => {
  const severityAt = (ms: number) => problems({ progress: [behind(ms)] })[0]?.severity;
  expect([severityAt(2 * HOUR), severityAt(2 * HOUR + 1)]).toEqual(["warning", "critical"]);
});

test("the worst lag says since when, whichever query comes first", () => {
  const progress = [behind(HOUR), behind(90 * MINUTE, { queryName: "Bolt" }), behind(40 * MINUTE)];
  expect(problems({ progress })).toMatchObject([
    {
      since: NOW - 90 * MINUTE,
      values: { queries: 3, lagMs: 90 * MINUTE },
      because:
        "alerts come late: 3 of 3 queries are behind, by up to 1h 30m (limit 30m). Behind: Bolt, Acme, Acme. Nothing is lost: each is read on from where it stopped. No call has failed: the account may allow too few calls for so many queries, or no process with the role poll runs",
    },
  ]);
});

test("a lag is explained by what its own source refuses, and by nothing else", () => {
  const rulesWith = (failure: Failure) =>
    problems({ progress: [behind(HOUR)], failures: [failure] }).map(({ rule }) => rule);
  expect(rulesWith(aFailure())).toEqual(["source-refuses"]);
  expect(rulesWith(receiver({ final: true }))).toEqual(["source-lag", "receiver-fails"]);
});

test.each<[string, Partial<PipelineHealth>, Partial<HealthProblem>]>([
  [
    "one message that nobody takes",
    waiting({ deliveries: 1, oldestDeliveryMs: 6 * MINUTE }),
    {
      since: NOW - 6 * MINUTE,
      values: { forMs: 6 * MINUTE },
      because:
        "1 message is not sent: no process has taken the oldest for 6m. Nothing is lost: they go out when one does. Check that a process with the role deliver runs",
    },
  ],
  [
    "three messages",
    waiting({ deliveries: 3, oldestDeliveryMs: 6 * MINUTE }),
    {
      because:
        "3 messages are not sent: no process has taken the oldest for 6m. Nothing is lost: they go out when one does. Check that a process with the role deliver runs",
    },
  ],
  [
    "one query that nobody reads",
    waiting({ polls: 1, oldestPollMs: HOUR, lastPolledAt: NOW - 20 * MINUTE }),
    {
      since: NOW - 20 * MINUTE,
      because:
        "no new mentions are read: 1 query is due, and no process has read any for 20m. Nothing is lost: reading goes on where it stopped. Check that a process with the role poll runs",
    },
  ],
  [
    "two queries",
    waiting({ polls: 2, oldestPollMs: HOUR, lastPolledAt: NOW - 20 * MINUTE }),
    {
      because:
        "no new mentions are read: 2 queries are due, and no process has read any for 20m. Nothing is lost: reading goes on where it stopped. Check that a process with the role poll runs",
    },
  ],
  [
    "one job that was given up",
    { deadLetters: [{ kind: "job", n: 1, since: NOW - HOUR, reason: "disk full" }] },
    {
      since: NOW - HOUR,
      values: { job: 1 },
      because:
        "1 piece of work failed at every try and is left out. The reason: disk full. Everything else goes on. earshot dead-letters list shows what failed; once the cause is fixed, earshot dead-letters replay tries it again",
    },
  ],
  [
    "two mentions",
    { deadLetters: [{ kind: "mention", n: 2, since: NOW - HOUR, reason: "no date" }] },
    {
      because:
        "2 mentions failed at every try in the last hour and are left out. The reason of the newest: no date. No rule or digest counts what is left out. Everything else goes on. earshot dead-letters list shows what failed; once the cause is fixed, earshot dead-letters replay tries it again",
    },
  ],
  [
    "a receiver that refuses",
    {
      failures: [
        aFailure(),
        receiver({ final: true, message: "no such channel", since: NOW - HOUR, times: 7 }),
      ],
    },
    {
      since: NOW - HOUR,
      values: { failures: 7 },
      because:
        "receiver comms gets no messages: no such channel. What was refused is kept, and is not tried again by itself: once this is fixed, earshot redeliver comms sends it",
    },
  ],
  [
    "one message that was given up at a receiver that fails",
    {
      failures: [receiver({ forMs: HOUR, times: 9 })],
      givenUp: [
        { receiver: "on-call", n: 4, error: "HTTP 500", since: NOW },
        { receiver: "comms", n: 1, error: "HTTP 503", since: NOW },
      ],
    },
    {
      because:
        "receiver comms gets no messages: 9 tries have failed in 1h. The last error: HTTP 503. 1 message was tried for two days and given up: once it works, earshot redeliver comms tries it once more. Newer ones are kept and tried again",
    },
  ],
  [
    "two messages that were given up at a receiver that fails",
    {
      failures: [receiver({ forMs: HOUR, times: 9 })],
      givenUp: [{ receiver: "comms", n: 2, error: "HTTP 503", since: NOW }],
    },
    {
      because:
        "receiver comms gets no messages: 9 tries have failed in 1h. The last error: HTTP 503. 2 messages were tried for two days and given up: once it works, earshot redeliver comms tries them once more. Newer ones are kept and tried again",
    },
  ],
  [
    "one message that was given up at a receiver that works",
    { givenUp: [{ receiver: "comms", n: 1, error: "HTTP 400", since: NOW - HOUR }] },
    {
      ...{
        rule: "messages-given-up",
        labels: { messagesTo: "comms" },
        since: NOW - HOUR,
        values: { messages: 1 },
      },
      because:
        "1 message did not reach comms and is not tried again: HTTP 400. Newer ones arrive. earshot redeliver comms tries it once more",
    },
  ],
  [
    "two messages that were given up at a receiver that works",
    { givenUp: [{ receiver: "comms", n: 2, error: "HTTP 400", since: NOW - HOUR }] },
    {
      because:
        "2 messages did not reach comms and are not tried again: HTTP 400. Newer ones arrive. earshot redeliver comms tries them once more",
    },
  ],
  [
    "a call that is forbidden",
    { failures: [aFailure({ reason: "forbidden", message: "mentions: 403" })] },
    {
      because:
        "some mentions cannot be read: the source forbids us a call. It said: mentions: 403. What is missing is read once this is allowed. Have the account's administrator give this user the role and the projects that it needs",
    },
  ],
  [
    "two calls to the feeds that are forbidden",
    {
      failures: [NOW - MINUTE, NOW - HOUR].map((since) =>
        aFailure({ reason: "forbidden", scope: "feeds: mentions", message: "mentions: 403", since }),
      ),
    },
    {
      since: NOW - HOUR,
      because:
        "some mentions cannot be read: our own Listening API of the feeds forbids us 2 kinds of calls. It said: mentions: 403. What is missing is read once this is allowed. Have the account's administrator give this user the role and the projects that it needs",
    },
  ],
  [
    "a rate limit that two calls have met",
    {
      failures: [NOW - 20 * MINUTE, NOW - 40 * MINUTE].map((since) =>
        aFailure({ reason: "rate-limited", since, lastAgoMs: 5 * MINUTE - 1 }),
      ),
    },
    { rule: "source-rate-limited", since: NOW - 40 * MINUTE },
  ],
  [
    "pictures that are left out",
    { failures: [aFailure({ kind: "extra", scope: "comms", message: "no scope files:write" })] },
    {
      because: "messages to comms come without charts: no scope files:write. Everything else in them arrives",
    },
  ],
  [
    "six silent queries",
    {
      rhythms: [2, 3, 4, 5, 6, 7].map((hours) => silent({ silentSince: NOW - hours * HOUR })),
    },
    {
      since: NOW - 7 * HOUR,
      because:
        "6 queries that are usually busy at this hour bring no new mention. If people still write, all alerts on them are missing. So many at once point to the source itself: ask its support whether it still collects",
    },
  ],
])("%s, in words", (_name, changes, problem) => {
  expect(problems(changes)).toContainEqual(expect.objectContaining(problem));
});

test.each<[string, Partial<PipelineHealth>, string | null]>([
  ["no query", { progress: [] }, "no query is watched"],
  ["a new query", { progress: [aQuery({ completeUntil: null })] }, "no query has been read to its end yet"],
  [
    "one of two that was never read",
    { progress: [aQuery({ completeUntil: null, watchFrom: NOW }), aQuery()] },
    null,
  ],
  [
    "a query at its limit",
    { progress: [behind(30 * MINUTE, { tickedUntil: NOW - 30 * MINUTE })], upForMs: 1 },
    null,
  ],
  [
    "a query beyond it",
    { progress: [behind(30 * MINUTE + 1, { tickedUntil: NOW - 31 * MINUTE })], upForMs: 1 },
    "Acme is read up to 30m ago",
  ],
  [
    "a query of an account that is polled every 20 minutes, at three times of them",
    {
      ...{ progress: [behind(HOUR, { tickedUntil: NOW - HOUR })], upForMs: 1 },
      pollEveryMs: { account: 20 * MINUTE, feeds: 0 },
    },
    null,
  ],
  ["windows at their limit", { progress: [behind(MINUTE, { tickedUntil: NOW - 16 * MINUTE })] }, null],
  [
    "windows beyond it",
    { progress: [aQuery(), behind(MINUTE, { queryName: "Bolt", tickedUntil: NOW - 17 * MINUTE })] },
    "windows of Bolt have waited for their verdict for 16m",
  ],
])("the heartbeat of a pipeline with %s", (_name, changes, reason) => {
  const health = aLine(changes);
  const beat = checkHeartbeat(health, [], SETTINGS);
  expect("reason" in beat ? beat.reason : null).toBe(reason);
});
