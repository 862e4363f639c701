import { expect, test } from "vitest";
import { findProblems } from "../../../src/monitor/health/checks.ts";
import type { PipelineHealth } from "../../../src/monitor/health/pipeline-health.ts";
import type { Failure } from "../../../src/monitor/model/failure.ts";
import { aFailure, aLine, aQuery, NOW, SETTINGS } from "./pipeline.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function found(changes: Partial<PipelineHealth>): string[] {
  return findProblems(aLine(changes), SETTINGS).map(({ rule }) => rule);
}

test("a healthy pipeline has no problems", () => {
  expect(found({})).toEqual([]);
});

test.each([
  ["a refused login", aFailure({ reason: "login" }), ["source-refuses"]],
  ["a fresh token that is refused", aFailure(), ["source-refuses"]],
  ["a forbidden query", aFailure({ reason: "forbidden", scope: "query 1/1" }), ["source-refuses"]],
  ["a source that is away for a moment", aFailure({ reason: "unavailable" }), []],
  ["a rate limit that has just been met", aFailure({ reason: "rate-limited", since: NOW - 14 * MINUTE }), []],
  [
    "a rate limit that is met for long",
    aFailure({ reason: "rate-limited", since: NOW - 15 * MINUTE }),
    ["source-rate-limited"],
  ],
  [
    "a rate limit that was met five minutes ago for the last time",
    aFailure({ reason: "rate-limited", since: NOW - HOUR, lastAgoMs: 5 * MINUTE }),
    [],
  ],
  [
    "a rate limit that was met a little later",
    aFailure({ reason: "rate-limited", since: NOW - HOUR, lastAgoMs: 5 * MINUTE - 1 }),
    ["source-rate-limited"],
  ],
  [
    "a source that is away for long, which is no limit",
    aFailure({ reason: "unavailable", since: NOW - HOUR }),
    [],
  ],
  [
    "a rate limit that was met for long and lets calls through again",
    aFailure({ reason: "rate-limited", since: NOW - HOUR, lastAgoMs: 6 * MINUTE }),
    [],
  ],
])("%s", (_name, failure, rules) => {
  expect(found({ failures: [failure] })).toEqual(rules);
});

const late = (minutes: number) => aQuery({ completeUntil: NOW - minutes * MINUTE });

test.each<[string, Partial<PipelineHealth>, string[]]>([
  ["lag at the limit", { progress: [late(30)] }, []],
  ["lag beyond the limit", { progress: [late(31), aQuery()] }, ["source-lag"]],
  [
    "lag that is explained by a refusal",
    { progress: [late(31)], failures: [aFailure()] },
    ["source-refuses"],
  ],
  [
    "lag of an account that may be polled only every 20 minutes",
    { progress: [late(45)], pollEveryMs: { account: 20 * MINUTE, feeds: 0 } },
    [],
  ],
  ["lag after a day off, while it catches up", { progress: [late(24 * 60)], upForMs: 5 * MINUTE }, []],
  [
    "an open lag alert above half of the limit",
    { progress: [late(16)], openLags: new Set(["account"] as const) },
    ["source-lag"],
  ],
  [
    "an open lag alert below half of the limit",
    { progress: [late(14)], openLags: new Set(["account"] as const) },
    [],
  ],
  ["a query that was never read to its end", { progress: [aQuery({ completeUntil: null })] }, ["source-lag"]],
])("%s", (_name, changes, rules) => {
  expect(found(changes)).toEqual(rules);
});

test("a problem names a query by whole characters, so that its alert can be stored", () => {
  const queryName = `${"x".repeat(58)}😀 and friends`;
  const [problem] = findProblems(aLine({ progress: [aQuery({ ...late(31), queryName })] }), SETTINGS);
  expect(problem?.because).toContain(`Behind: ${"x".repeat(58)}…. Nothing is lost`);
});

test("lag becomes critical when it goes on, and names the worst and the reason", () => {
  const [problem] = findProblems(
    aLine({
      progress: [
        late(121),
        aQuery({ queryName: "Bolt", completeUntil: NOW - HOUR, lastError: "mentions: 502" }),
      ],
    }),
    SETTINGS,
  );
  expect(problem).toMatchObject({ severity: "critical", values: { queries: 2, lagMs: 121 * MINUTE } });
  expect(problem?.because).toBe(
    "alerts come late: 2 of 2 queries are behind, by up to 2h 1m (limit 30m). Behind: Acme, Bolt. Nothing is lost: each is read on from where it stopped. The last call to the source failed: mentions: 502. earshot doctor tries the source",
  );
});

const waiting = (changes: Partial<PipelineHealth["waiting"]>): Partial<PipelineHealth> => ({
  waiting: { ...aLine().waiting, ...changes },
});

test.each<[string, Partial<PipelineHealth>, string[]]>([
  ["no job for a minute", { lastJobAgoMs: 61_000 }, ["queue-stands-still"]],
  [
    "no job for a day, of which we were away all but a second",
    { lastJobAgoMs: 24 * HOUR, upForMs: 1_000 },
    [],
  ],
  [
    "no job ever, and we look on for two minutes",
    { lastJobAgoMs: null, upForMs: 2 * MINUTE },
    ["queue-stands-still"],
  ],
  [
    "deliveries that nobody takes",
    waiting({ deliveries: 3, oldestDeliveryMs: 6 * MINUTE }),
    ["queue-stands-still"],
  ],
  ["deliveries that have just become due", waiting({ deliveries: 3, oldestDeliveryMs: 4 * MINUTE }), []],
  [
    "polls that nobody takes",
    waiting({ polls: 1, oldestPollMs: 16 * MINUTE, lastPolledAt: NOW - 16 * MINUTE }),
    ["queue-stands-still"],
  ],
  [
    "polls that wait for their share of the budget",
    waiting({ polls: 50, oldestPollMs: HOUR, lastPolledAt: NOW - MINUTE }),
    [],
  ],
  [
    "a poll that is due again since a second",
    waiting({ polls: 1, oldestPollMs: 1_000, lastPolledAt: NOW - HOUR }),
    [],
  ],
])("%s", (_name, changes, rules) => {
  expect(found(changes)).toEqual(rules);
});

const receiver = (changes: object) =>
  aFailure({ kind: "receiver", scope: "comms", final: false, ...changes });

test.each([
  ["a refusal that no try mends", receiver({ final: true, forMs: 0 }), ["receiver-fails"]],
  ["a failure", receiver({ forMs: MINUTE, times: 2 }), []],
  [
    "messages that lack their pictures",
    aFailure({ kind: "extra", scope: "comms", message: "no scope files:write" }),
    ["pictures-left-out"],
  ],
  ["pictures that a receiver of yesterday lacked", aFailure({ kind: "extra", scope: "gone" }), []],
  ["failures for ten minutes", receiver({ forMs: 10 * MINUTE, times: 4 }), ["receiver-fails"]],
  ["a single failure whose next try is an hour away", receiver({ forMs: HOUR, times: 1 }), []],
  ["a receiver that is configured no longer", receiver({ scope: "gone", final: true }), []],
])("%s", (_name, failure, rules) => {
  expect(found({ failures: [failure] })).toEqual(rules);
});

const digest = {
  name: "morning",
  localDate: "2026-03-02",
  dueAt: NOW - HOUR,
  error: null,
  deadLetters: false,
};

test.each<[string, Partial<PipelineHealth>, string[]]>([
  ["a digest that waits for its queries", { digests: [{ ...digest, dueAt: NOW - 40 * MINUTE }] }, []],
  ["a digest that is late", { digests: [digest] }, ["digest-not-built"]],
  ["a digest after a night off: it is built now", { digests: [digest], upForMs: 2 * MINUTE }, []],
  ["a digest at its limit", { digests: [{ ...digest, dueAt: NOW - 45 * MINUTE }] }, ["digest-not-built"]],
  ["a digest just below it", { digests: [{ ...digest, dueAt: NOW - 45 * MINUTE + 1 }] }, []],
  [
    "a digest that was given up, of which an edition is due tomorrow",
    { digests: [{ ...digest, dueAt: NOW + HOUR, deadLetters: true }] },
    [],
  ],
  ["a digest that is due tomorrow", { digests: [{ ...digest, dueAt: NOW + HOUR }] }, []],
  [
    "a digest that was given up",
    { digests: [{ ...digest, dueAt: NOW, deadLetters: true, error: "a fault" }] },
    ["digest-not-built"],
  ],
])("%s", (_name, changes, rules) => {
  expect(found(changes)).toEqual(rules);
});

const rhythm = (before: number[], hours = 2) => ({
  projectId: "1",
  queryId: "1",
  queryName: "Acme",
  silentSince: NOW - hours * HOUR,
  completeUntil: NOW,
  before,
});

test.each([
  ["silence where others days brought fifty", rhythm([50, 40, 60, 55]), ["query-silent"]],
  ["silence of half an hour", rhythm([50, 40, 60, 55], 0.5), []],
  ["silence on a Saturday, of a query that rests at weekends", rhythm([50, 40, 0, 0, 60, 55, 52]), []],
  ["silence where one day was full of uproar", rhythm([2, 3, 900, 1]), []],
  ["silence of a query that is known for two days", rhythm([50, 50]), []],
])("%s", (_name, one, rules) => {
  expect(found({ rhythms: [one] })).toEqual(rules);
});

test("many silent queries are one problem", () => {
  const rhythms = Array.from({ length: 6 }, (_, i) => ({ ...rhythm([50, 40, 60]), queryId: String(i) }));
  expect(findProblems(aLine({ rhythms }), SETTINGS)).toMatchObject([
    { rule: "query-silent", labels: { query: "many" }, values: { queries: 6 } },
  ]);
});

const held = (lastAt: number) => ({
  ...{ projectId: "1", queryId: "1", queryName: "Acme", rule: "too-wide" },
  ...{
    windowFrom: lastAt - (lastAt % (10 * MINUTE)),
    inWindow: 900,
    heldAt: NOW - HOUR,
    held: 45_000,
    lastAt,
  },
});

test("a rule that floods is one problem, which says what goes on and when it ends", () => {
  const [problem, ...others] = findProblems(aLine({ heldRules: [held(NOW)] }), SETTINGS);
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ rule: "rule-floods", labels: { query: "Acme", heldRule: "too-wide" } });
  expect(problem?.because).toBe(
    "the rule too-wide is held: it opened 1,000 alerts for Acme within 10 minutes, and 45,000 more would have opened since. Those mentions are stored and counted, and open no alert; all other rules go on. It goes on by itself after ten minutes with fewer than 1,000. Is it too wide? See what it matches with earshot backtest, and narrow its when or group by less",
  );
  expect(found({ heldRules: [held(NOW - 11 * MINUTE)] })).toEqual([]);
});

const bounces = (changes: Partial<PipelineHealth["bounces"][number]> = {}): Partial<PipelineHealth> => ({
  bounces: [
    {
      receiver: "on-call",
      to: "duty@brand.example",
      times: 2,
      since: NOW - HOUR,
      detail: "5.1.1 User unknown",
      ...changes,
    },
  ],
});

test.each<[string, Partial<PipelineHealth>, string[]]>([
  ["one mail that came back", bounces({ times: 1 }), []],
  ["two mails that came back", bounces(), ["receiver-bounces"]],
  ["mails that came back from the address of before", bounces({ to: "old@brand.example" }), []],
  ["mails that came back from a receiver that is no more", bounces({ receiver: "gone" }), []],
])("%s", (_name, changes, rules) => {
  expect(found(changes)).toEqual(rules);
});

test("a receiver whose mails bounce is reported with the server's answer and what to do", () => {
  const [problem] = findProblems(aLine(bounces({ times: 3 })), SETTINGS);
  expect(problem).toMatchObject({
    labels: { receiver: "on-call" },
    since: NOW - HOUR,
    values: { bounces: 3 },
  });
  expect(problem?.because).toBe(
    "receiver on-call does not get its mails: 3 to duty@brand.example came back. The newest said: 5.1.1 User unknown. Nobody has read these mails, and new ones are still sent to this address. Correct it in earshot.yaml, or have the mailbox repaired",
  );
});

const buttons = (changes: Partial<Failure> = {}): Partial<PipelineHealth> => ({
  failures: [
    aFailure({
      ...{ kind: "extra", scope: "buttons: slack", message: "the token is not valid", final: true },
      ...{ times: 3, forMs: MINUTE, lastAgoMs: 0, ...changes },
    }),
  ],
});

test.each<[string, Partial<PipelineHealth>, string[]]>([
  ["a refused socket, at the second try", buttons({ times: 2 }), []],
  ["a refused socket, at the third", buttons(), ["buttons-fail"]],
  ["a socket that does not open, for a minute", buttons({ final: false }), []],
  ["a socket that does not open, for an hour", buttons({ final: false, forMs: HOUR }), ["buttons-fail"]],
  ["a socket that nobody opens any more", buttons({ lastAgoMs: 6 * MINUTE }), []],
])("%s", (_name, changes, rules) => {
  expect(found(changes)).toEqual(rules);
});

test("buttons are not reported beside a receiver with buttons that fails, and are beside any other problem", () => {
  const { failures = [] } = buttons();
  expect(found({ failures: [...failures, receiver({ final: true })] })).toEqual(["receiver-fails"]);
  const mail = receiver({ final: true, scope: "on-call" });
  expect(found({ failures: [...failures, mail] })).toEqual(["receiver-fails", "buttons-fail"]);
  expect(found({ failures: [...failures, aFailure()] })).toEqual(["source-refuses", "buttons-fail"]);
  expect(found({ failures: failures.map((one) => ({ ...one, kind: "call" as const })) })).not.toContain(
    "buttons-fail",
  );
});

test("a silent query is explained by a source that refuses, and by nothing else of it", () => {
  const rhythms = [rhythm([50, 40, 60, 55])];
  expect(found({ rhythms, failures: [aFailure()] })).toEqual(["source-refuses"]);
  expect(found({ rhythms, failures: [receiver({ final: true })] })).toEqual([
    "query-silent",
    "receiver-fails",
  ]);
  expect(found({ rhythms, deadLetters: [{ kind: "job", n: 1, since: NOW, reason: "odd" }] })).toEqual([
    "query-silent",
    "dead-letters",
  ]);
});

test("each receiver is judged by what it did itself", () => {
  const failures = [
    receiver({ scope: "on-call", final: true, message: "no such channel" }),
    receiver({ forMs: MINUTE, times: 2 }),
  ];
  const givenUp = [
    { receiver: "on-call", n: 2, error: "no such channel", since: NOW - HOUR },
    { receiver: "comms", n: 1, error: "too long", since: NOW - MINUTE },
  ];
  expect(findProblems(aLine({ failures }), SETTINGS).map(({ labels }) => labels)).toEqual([
    { receiver: "on-call" },
  ]);
  expect(
    findProblems(aLine({ givenUp }), SETTINGS).map(({ rule, labels, since, values }) => [
      ...[rule, labels, since, values],
    ]),
  ).toEqual([
    ["messages-given-up", { messagesTo: "comms" }, NOW - MINUTE, { messages: 1 }],
    ["messages-given-up", { messagesTo: "on-call" }, NOW - HOUR, { messages: 2 }],
  ]);
});

test("buttons that do nothing are reported with what to do", () => {
  expect(findProblems(aLine(buttons()), SETTINGS)[0]?.because).toBe(
    "buttons in messages (slack) do nothing: the token is not valid. Alerts arrive. Until the buttons work, acknowledge and silence on the console, or with earshot alerts ack and earshot silence add",
  );
});

test("messages that cannot be corrected are reported with where they stand and what to do", () => {
  const sentAt = Date.parse("2026-03-02T11:58:00Z");
  const about = { rule: "leaks", digest: null, sentAt };
  const one = { receiver: "comms", n: 1, error: "Slack is locked", since: NOW - HOUR, newest: [about] };
  const [problem, other] = findProblems(
    aLine({
      uncorrected: [
        one,
        { ...one, receiver: "board", n: 5, newest: [about, { ...about, rule: null, digest: "weekly" }] },
      ],
    }),
    SETTINGS,
  );
  expect(problem).toMatchObject({
    ...{ rule: "messages-uncorrected", labels: { messagesTo: "comms" } },
    ...{ since: NOW - HOUR, values: { messages: 1 } },
  });
  expect(problem?.because).toBe(
    "1 message to comms still shows something that was deleted: Slack is locked. It is that about the rule leaks of 2026-03-02 11:58 UTC. Delete it there by hand. Earshot looks once a day, and this ends when nothing is left",
  );
  expect(other?.because).toBe(
    "5 messages to board still show something that was deleted: Slack is locked. They are those about the rule leaks of 2026-03-02 11:58 UTC, of the digest weekly of 2026-03-02 11:58 UTC and 3 others. Delete them there by hand. Earshot looks once a day, and this ends when nothing is left",
  );
});

const NODE_ERROR = "connect ECONNREFUSED 127.0.0.1:6379.";

test.each<[string, Partial<PipelineHealth>, string]>([
  [
    "a refused login",
    { failures: [aFailure({ reason: "login", message: "400 invalid_grant." })] },
    "no new mentions are read: the source refuses our login. It said: 400 invalid_grant. What is published meanwhile is read once the login works. Put the right source.username, source.password and source.clientId into earshot.yaml and start Earshot again; earshot doctor tries them",
  ],
  [
    "a rate limit",
    { failures: [aFailure({ reason: "rate-limited", since: NOW - 20 * MINUTE })] },
    'mentions are read late: the source has answered "too many calls" for 20m. Nothing is lost: what waits is read when the account may call again. Watch fewer queries, poll less often (source.pollEvery), or ask for a larger limit. Perhaps another program uses the same account',
  ],
  [
    "a queue that does not answer",
    { lastJobAgoMs: 2 * MINUTE },
    "no new mentions are read and no new alerts are sent: the queue has stood still for 2m. Nothing is lost: work goes on by itself when the queue is back. Look at Redis (REDIS_URL), or at PostgreSQL where there is none: does it run, is its disk full, does it accept writes?",
  ],
  [
    "one message that nobody sends",
    waiting({ deliveries: 1, oldestDeliveryMs: 6 * MINUTE }),
    "1 message is not sent: no process has taken the oldest for 6m. Nothing is lost: they go out when one does. Check that a process with the role deliver runs",
  ],
  [
    "a receiver that is away",
    { failures: [receiver({ forMs: 10 * MINUTE, times: 4, message: NODE_ERROR })] },
    "receiver comms gets no messages: 4 tries have failed in 10m. The last error: connection refused. Its messages are kept and tried again for at least two days",
  ],
  [
    "a digest that cannot be built",
    { digests: [{ ...digest, deadLetters: true, error: "template digest.html: 3 faults." }] },
    "the digest morning of 2026-03-02 is not sent: it failed at every try. The reason: template digest.html: 3 faults. Once the cause is fixed, earshot dead-letters replay builds and sends it",
  ],
  [
    "a digest that nobody builds",
    { digests: [digest] },
    "the digest morning of 2026-03-02 is late by 1h. It is sent as soon as a process builds it: check that one with the role digest runs",
  ],
  [
    "a digest whose last try failed",
    { digests: [{ ...digest, error: "the disk is full" }] },
    "the digest morning of 2026-03-02 is late by 1h. The last try failed: the disk is full. It is tried again by itself; if the reason stays the same, that has to be fixed first",
  ],
  [
    "a digest that was given up, and nobody knows why",
    { digests: [{ ...digest, deadLetters: true }] },
    "the digest morning of 2026-03-02 is not sent: it failed at every try. Once the cause is fixed, earshot dead-letters replay builds and sends it",
  ],
  ["no dead letter at all", { deadLetters: [{ kind: "job", n: 0, since: NOW, reason: "" }] }, ""],
  [
    "a query that fell silent",
    { rhythms: [rhythm([50, 40, 60, 55])] },
    "Acme: no new mention for 2h. In the same hours of the last 4 days there were 40 or more on three days of four. If people still write about it, its alerts are missing: look at the query at the source, which may have been changed, paused or emptied",
  ],
])("%s is reported: what stopped, what is lost and what to do", (_name, changes, because) => {
  expect(findProblems(aLine(changes), SETTINGS).map((problem) => problem.because)).toEqual(
    because === "" ? [] : [because],
  );
});

test("problems of the feeds stand beside those of an account, and neither explains the other", () => {
  const ofFeeds = (changes: object) => aQuery({ projectId: "feeds-1", queryName: "Blog", ...changes });
  const health = aLine({
    progress: [late(31), ofFeeds({ completeUntil: NOW - 40 * MINUTE })],
    failures: [aFailure({ reason: "login" })],
    pollEveryMs: { account: MINUTE, feeds: 5_000 },
  });
  expect(findProblems(health, SETTINGS).map(({ rule, labels }) => [rule, labels])).toEqual([
    ["source-refuses", {}],
    ["source-lag", { source: "feeds" }],
  ]);
  const refused = aLine({ progress: [late(31)], failures: [aFailure({ scope: "feeds: account" })] });
  const [refusal, lag] = findProblems(refused, SETTINGS);
  expect([lag?.rule, refusal?.rule, refusal?.labels]).toEqual([
    ...["source-lag", "source-refuses"],
    { source: "feeds" },
  ]);
  expect(refusal?.because).toContain("our own Listening API refuses our login");
  // An account that is polled every 20 minutes gives the feeds no more time.
  const slow = { pollEveryMs: { account: 20 * MINUTE, feeds: 5_000 } };
  expect(found({ ...slow, progress: [late(45), ofFeeds({ completeUntil: NOW - 45 * MINUTE })] })).toEqual([
    "source-lag",
  ]);
});
