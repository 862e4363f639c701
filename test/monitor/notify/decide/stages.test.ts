import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import type { Alert } from "../../../../src/monitor/model/alert.ts";
import { AlertMatch } from "../../../../src/monitor/model/alert-match.ts";
import type { Silence } from "../../../../src/monitor/model/silence.ts";
import type {
  Candidate,
  EscalationTerms,
  LastNotified,
  NotifyContext,
  ReceiverTerms,
  Terms,
} from "../../../../src/monitor/notify/decide/batch.ts";
import { decideAll } from "../../../../src/monitor/notify/decide/decision.ts";
import { Inhibition } from "../../../../src/monitor/notify/decide/inhibition.ts";
import { QuietHours } from "../../../../src/monitor/notify/decide/quiet-hours.ts";
import { alertOf } from "../alert-of.ts";

const NOW = 5 * HOUR;
const TERMS: Terms = {
  ...{ routed: true, repeatEveryMs: 4 * HOUR, sendResolved: true, forgetAfterMs: DAY },
  ...{ group: null, escalation: null },
};
const RECEIVER: ReceiverTerms = { name: "team", quietHours: [], throttle: null, recent: [] };
const NOTIFIED: LastNotified = { at: 0, severity: "warning", lastSeenAt: 0, notifyCount: 1, ended: false };

interface Given {
  readonly lastNotified?: LastNotified | null;
  readonly terms?: Partial<Terms>;
  readonly isWatched?: boolean;
  readonly receiver?: Partial<ReceiverTerms>;
  readonly context?: Partial<NotifyContext>;
}

/** What is decided of each, in the order of the alerts: `send FirstNotification (route) until 9`, in hours. */
function decide(alerts: readonly Partial<Alert>[], given: Given = {}): string[] {
  const { lastNotified = null, terms = {}, isWatched = false, receiver = {}, context = {} } = given;
  const candidates = alerts.map(
    (alert, index): Candidate => ({
      ...{ alert: alertOf({ id: `a${index}`, ...alert }), lastNotified, isWatched },
      terms: { ...TERMS, ...terms },
    }),
  );
  const decided = decideAll(candidates, { ...RECEIVER, ...receiver }, NOW, {
    ...{ silences: [], inhibitions: [], open: [], ...context },
  });
  return candidates.map(({ alert }) => {
    const decision = decided.find(({ candidate }) => candidate.alert.id === alert.id)?.decision;
    const until = decision?.nextAt == null ? "" : ` until ${decision.nextAt / HOUR}`;
    const within = decision?.do === "send" && decision.with !== null ? ` in ${decision.with}` : "";
    return `${decision?.do} ${decision?.reason} (${decision?.by})${within}${until}`;
  });
}

const STEP: EscalationTerms = { reachedAt: null, nextAt: 6 * HOUR, by: "escalation x, step 1" };

test.each<[string, Partial<Alert>, Given, string]>([
  ["pending", { firedAt: null }, {}, "drop StillPending (life cycle)"],
  [
    "ended",
    { resolvedAt: NOW },
    { lastNotified: { ...NOTIFIED, ended: true } },
    "drop NothingNew (already notified)",
  ],
  [
    "ended unheard, and routed no more",
    { resolvedAt: NOW },
    { terms: { routed: false } },
    "drop NoLongerRouted (routes)",
  ],
  [
    "ended, one mention",
    { resolvedAt: NOW, mentions: 1 },
    { lastNotified: NOTIFIED },
    "drop EndNeedsNobody (one mention, and nobody acted on it)",
  ],
  [
    "ended, and ends are not wanted",
    { resolvedAt: NOW },
    { lastNotified: NOTIFIED, terms: { sendResolved: false } },
    "drop ResolveNotWanted (route)",
  ],
  [
    "routed no more",
    {},
    { lastNotified: NOTIFIED, terms: { routed: false } },
    "drop NoLongerRouted (routes)",
  ],
  [
    "for a step that is not due",
    {},
    { terms: { routed: false, escalation: STEP } },
    "drop EscalationWaits (escalation x, step 1) until 6",
  ],
  [
    "for a step that is due",
    {},
    { terms: { routed: false, repeatEveryMs: null, escalation: { ...STEP, reachedAt: NOW, nextAt: null } } },
    "send Escalated (escalation x, step 1)",
  ],
  ["watched", {}, { lastNotified: NOTIFIED, isWatched: true }, "drop Watching (incident)"],
  [
    "acknowledged",
    { state: "acknowledged", handling: { acknowledgedBy: "ann" } },
    { lastNotified: NOTIFIED },
    "drop Acknowledged (ann)",
  ],
  [
    "acknowledged by nobody knows whom",
    { state: "acknowledged" },
    { lastNotified: NOTIFIED },
    "drop Acknowledged (a person)",
  ],
  [
    "never repeated",
    {},
    { lastNotified: NOTIFIED, terms: { repeatEveryMs: null, escalation: STEP } },
    "drop NothingNew (route, repeatEvery: never) until 6",
  ],
  [
    "repeated later than the next step",
    {},
    { lastNotified: { ...NOTIFIED, at: 3 * HOUR }, terms: { escalation: STEP } },
    "drop NothingNew (already notified) until 6",
  ],
  ["without anything new", {}, { lastNotified: NOTIFIED }, "drop NoNewEvidence (already notified)"],
  [
    "sent, with a step after it",
    {},
    { terms: { escalation: STEP } },
    "send FirstNotification (route) until 6",
  ],
  ["sent", {}, {}, "send FirstNotification (route) until 9"],
  [
    "too old",
    { resolvedAt: NOW - 2 * HOUR },
    { terms: { forgetAfterMs: HOUR } },
    "drop EndedLongAgo (route, forgetAfter 1h)",
  ],
])("an alert that is %s", (_, alert, given, expected) => {
  expect(decide([alert], given)).toEqual([expected]);
});

test("messages that a clock wrote which was ahead, and was set back, hold nothing up", () => {
  const receiver = (at: number): Partial<ReceiverTerms> => ({
    throttle: { atMost: 1, perMs: HOUR, breakThrough: "critical" },
    recent: [at],
    recentBreakThrough: [at],
    flushes: new Map([["g", at]]),
  });
  const group = { key: "g", waitMs: 0, intervalMs: HOUR };
  const grouped = (at: number) =>
    decide([{}], { terms: { group }, receiver: { ...receiver(at), throttle: null } });
  const throttled = (at: number) => decide([{}], { receiver: receiver(at) });
  // Clocks of several machines may differ by a minute.
  expect([throttled(NOW + MINUTE), grouped(NOW + MINUTE)].flat().map((line) => line.split(" ")[1])).toEqual([
    "HeldByThrottle",
    "HeldByGroup",
  ]);
  expect([throttled(NOW + DAY), grouped(NOW + DAY)]).toEqual([
    ["send FirstNotification (route) until 9"],
    ["send FirstNotification (route) until 9"],
  ]);
  const storm = decide([{ severity: "critical" }], { receiver: receiver(NOW + DAY) });
  expect(storm).toEqual(["send FirstNotification (route) until 9"]);
});

const silence = (given: Partial<Silence> = {}): Silence => ({
  ...{ id: "s", match: AlertMatch.parse({}), author: "ann", comment: "", createdAt: 0, startsAt: HOUR },
  ...{ endsAt: 6 * HOUR, windows: [], endedBy: null, ...given },
});

test.each<[string, Partial<Alert>, Partial<Silence>, RegExp]>([
  ["goes on", {}, {}, /^hold HeldBySilence .*until 6/],
  [
    "began and ended in it",
    { openedAt: 2 * HOUR, firedAt: 2 * HOUR, resolvedAt: 3 * HOUR },
    {},
    /^drop EndedWhileMuted/,
  ],
  ["ended in it and began before", { resolvedAt: 3 * HOUR }, {}, /^hold HeldBySilence .*until 6/],
  [
    "began before it, and fired in it",
    { firedAt: 2 * HOUR, resolvedAt: 3 * HOUR },
    {},
    /^drop EndedWhileMuted/,
  ],
  ["ended in it, and it is over", { resolvedAt: 3 * HOUR }, { endsAt: 4 * HOUR }, /^send FiredAndEnded/],
  ["ended in it, and it ends now", { resolvedAt: 3 * HOUR }, { endsAt: NOW }, /^send FiredAndEnded/],
])("under a silence, an alert that %s", (_, alert, given, expected) => {
  expect(decide([alert], { context: { silences: [silence(given)] } })[0]).toMatch(expected);
});

test.each<[string, Partial<Alert>, Partial<Alert>, RegExp]>([
  ["goes on", {}, {}, /^hold HeldByInhibition/],
  ["ended before it", { resolvedAt: HOUR }, { firedAt: 2 * HOUR }, /^send FiredAndEnded/],
  ["ended as it fired", { resolvedAt: 2 * HOUR }, { firedAt: 2 * HOUR }, /^hold HeldByInhibition/],
  ["ended before it fired, and after it was seen", { resolvedAt: 2 * HOUR }, { firedAt: 3 * HOUR }, /^send/],
  ["began before it", { resolvedAt: 3 * HOUR }, { firedAt: 2 * HOUR }, /^hold HeldByInhibition/],
  [
    "began as it fired",
    { firedAt: 2 * HOUR, resolvedAt: 3 * HOUR },
    { firedAt: 2 * HOUR },
    /^drop EndedWhileMuted/,
  ],
])("beside a crisis, an alert that %s", (_, alert, crisis, expected) => {
  const open = [alertOf({ id: "crisis", rule: "crisis", severity: "critical", ...crisis })];
  const inhibitions = [Inhibition.parse({ while: { rule: "crisis" } })];
  expect(decide([alert], { context: { open, inhibitions } })[0]).toMatch(expected);
});

test.each<[string, Partial<Alert>, Partial<Alert>, RegExp]>([
  ["goes on", {}, { resolvedAt: 3 * HOUR }, /^send FirstNotification/],
  [
    "began and ended with it",
    { firedAt: 2 * HOUR, resolvedAt: 3 * HOUR },
    { firedAt: 2 * HOUR, resolvedAt: 3 * HOUR },
    /^drop EndedWhileMuted .*was open/,
  ],
  [
    "began before it",
    { firedAt: HOUR, resolvedAt: 3 * HOUR },
    { firedAt: 2 * HOUR, resolvedAt: 3 * HOUR },
    /^send FiredAndEnded/,
  ],
  [
    "ended after it",
    { firedAt: 2 * HOUR, resolvedAt: 4 * HOUR },
    { firedAt: 2 * HOUR, resolvedAt: 3 * HOUR },
    /^send FiredAndEnded/,
  ],
])("at the end of a crisis, an alert that %s", (_, alert, crisis, expected) => {
  const ended = [alertOf({ id: "crisis", rule: "crisis", severity: "critical", ...crisis })];
  const inhibitions = [Inhibition.parse({ while: { rule: "crisis" } })];
  expect(decide([alert], { context: { open: [], ended, inhibitions } })[0]).toMatch(expected);
});

test("what a stage holds or drops stays so in the stages behind it", () => {
  const silences = [silence({ match: AlertMatch.parse({ rule: "silenced" }) })];
  const quietHours = [QuietHours.parse({ timezone: "UTC", from: "04:00", to: "06:00" })];
  const open = [alertOf({ id: "crisis", rule: "crisis", severity: "critical" })];
  const inhibitions = [Inhibition.parse({ while: { rule: "crisis" }, mute: { rule: "inhibited" } })];
  const decided = decide([{ rule: "silenced" }, { rule: "inhibited" }, {}, { firedAt: null }], {
    ...{ context: { silences, open, inhibitions }, receiver: { quietHours } },
  });
  expect(decided.map((line) => line.split(" ", 2).join(" "))).toEqual([
    "hold HeldBySilence",
    "hold HeldByInhibition",
    "hold HeldByQuietHours",
    "drop StillPending",
  ]);
});

test.each<[string, Partial<Alert>, string]>([
  ["ended as the night ends", { resolvedAt: 4 * HOUR }, "drop ResolvedUnannounced"],
  ["ended after the night", { resolvedAt: 4 * HOUR + 1 }, "send FiredAndEnded"],
  ["was announced", { resolvedAt: 3 * HOUR, severity: "warning" }, "send FiredAndEnded"],
])("in the morning, an alert that %s", (_, alert, expected) => {
  const quietHours = [QuietHours.parse({ timezone: "UTC", from: "00:00", to: "04:00" })];
  const [line = ""] = decide([{ severity: "info", firedAt: HOUR, ...alert }], { receiver: { quietHours } });
  expect(line.startsWith(expected)).toBe(true);
});

test("the end of an alert that was announced before the night is sent after it, however mild", () => {
  const quietHours = [QuietHours.parse({ timezone: "UTC", from: "00:00", to: "04:00" })];
  const ended = { severity: "info", firedAt: HOUR, resolvedAt: 3 * HOUR } as const;
  expect(decide([ended], { lastNotified: NOTIFIED, receiver: { quietHours } })).toEqual([
    "send Resolved (route)",
  ]);
});

const GROUP = { key: "g", waitMs: 10 * MINUTE, intervalMs: HOUR };

test.each<[string, Partial<Alert>, Given, string]>([
  ["waits for more", { firedAt: NOW }, {}, "hold HeldByGroup (groupWait 10m) until 5.166666666666667"],
  [
    "waits since the last message",
    { firedAt: NOW - HOUR },
    { receiver: { flushes: new Map([["g", NOW - 30 * MINUTE]]) } },
    "hold HeldByGroup (groupInterval 1h) until 5.5",
  ],
  [
    "waits for both until the same moment",
    { firedAt: NOW },
    { receiver: { flushes: new Map([["g", NOW - 50 * MINUTE]]) } },
    "hold HeldByGroup (groupWait 10m) until 5.166666666666667",
  ],
  ["has waited", { firedAt: NOW - 10 * MINUTE }, {}, "send FirstNotification (route) until 9"],
  [
    "rises",
    { firedAt: NOW, severity: "critical" },
    { lastNotified: NOTIFIED },
    "send SeverityRose (route) until 9",
  ],
  [
    "escalates",
    { firedAt: NOW },
    { terms: { group: GROUP, routed: false, escalation: { ...STEP, reachedAt: NOW } } },
    "send Escalated (escalation x, step 1) until 6",
  ],
])("in a group, an alert that %s", (_, alert, given, expected) => {
  expect(decide([alert], { ...given, terms: { group: GROUP, ...given.terms } })).toEqual([expected]);
});

const THROTTLE = { atMost: 2, perMs: HOUR, breakThrough: "critical" } as const;

test.each<[string, Partial<ReceiverTerms>, readonly string[]]>([
  ["two slots free", {}, ["send", "send in a0", "send in a0"]],
  ["one slot free", { recent: [NOW - MINUTE] }, ["send", "send in a0", "send in a0"]],
  ["the oldest is just out", { recent: [NOW - MINUTE, NOW - HOUR] }, ["send", "send in a0", "send in a0"]],
  [
    "none free",
    { recent: [NOW - MINUTE, NOW - 30 * MINUTE] },
    ["hold until 5.5", "hold until 5.5", "hold until 5.5"],
  ],
])("a throttle of two an hour, %s", (_, receiver, expected) => {
  // A slot for each but the last, which carries what is left.
  const lines = decide([{ openedAt: 1 }, { openedAt: 2 }, { openedAt: 3 }], {
    receiver: { throttle: THROTTLE, ...receiver },
  }).map((line) =>
    line.replace(/ (FirstNotification|HeldByThrottle) \([^)]*\)/, "").replace(/( until 9)$/, ""),
  );
  const two = ["send", "send", "send in a1"];
  expect(lines).toEqual(receiver.recent === undefined ? two : expected);
});

test.each<[string, Partial<ReceiverTerms>, string]>([
  ["no slot free", { recent: [NOW - 2, NOW - 3] }, "send"],
  ["one went through this minute", { recent: [NOW - 2, NOW - 3], recentBreakThrough: [NOW - 2] }, "send"],
  [
    "two went through this minute",
    { recent: [NOW - 2, NOW - 3], recentBreakThrough: [NOW - 2, NOW - 3] },
    `hold until ${(NOW - 3 + MINUTE) / HOUR}`,
  ],
  [
    "two went through, one longer ago than a minute",
    { recent: [NOW - 2, NOW - 2 * MINUTE], recentBreakThrough: [NOW - 2, NOW - 2 * MINUTE] },
    "send",
  ],
])("a critical alert breaks through, %s", (_, receiver, expected) => {
  const lines = decide([{ severity: "critical" }, { severity: "critical", openedAt: 1 }], {
    receiver: { throttle: THROTTLE, ...receiver },
  }).map((line) =>
    line.replace(/ (FirstNotification|HeldByThrottle) \([^)]*\)/, "").replace(/( until 9)$/, ""),
  );
  // Without a slot, all go in one message.
  expect(lines).toEqual([expected, expected === "send" ? "send in a0" : expected]);
});

test("critical alerts take the slots of a throttle before others, a message each while there are some", () => {
  const decided = decide([{ severity: "critical" }, { severity: "critical", openedAt: 1 }, { openedAt: 2 }], {
    receiver: { throttle: { ...THROTTLE, atMost: 3 } },
  });
  expect(decided.map((line) => line.includes(" in "))).toEqual([false, false, false]);
});

test("what a group put into one message waits for the throttle together", () => {
  const decided = decide([{ firedAt: 0 }, { firedAt: 0, openedAt: 1 }], {
    terms: { group: GROUP },
    receiver: { throttle: { ...THROTTLE, atMost: 1 }, recent: [NOW - MINUTE] },
  });
  expect(decided).toEqual([
    expect.stringMatching(/^hold HeldByThrottle \(throttle, 1 in 1h\)/),
    expect.stringMatching(/^hold HeldByThrottle \(throttle, 1 in 1h\)/),
  ]);
});
