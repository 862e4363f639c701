import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../../src/lib/instant.ts";
import type { Alert } from "../../../../src/monitor/model/alert.ts";
import type { Severity } from "../../../../src/monitor/model/severity.ts";
import type {
  Candidate,
  LastNotified,
  ReceiverTerms,
  Terms,
} from "../../../../src/monitor/notify/decide/batch.ts";
import { type Decision, decideAll } from "../../../../src/monitor/notify/decide/decision.ts";
import { QuietHours } from "../../../../src/monitor/notify/decide/quiet-hours.ts";
import { runs } from "../../../runs.ts";
import { alertOf } from "../alert-of.ts";

const TERMS: Terms = {
  routed: true,
  repeatEveryMs: 4 * HOUR,
  sendResolved: true,
  forgetAfterMs: DAY,
  group: null,
  escalation: null,
};
const AWAKE: ReceiverTerms = { name: "team", quietHours: [], throttle: null, recent: [] };
const NIGHT = QuietHours.parse({ timezone: "UTC", from: "22:00", to: "07:00" });
const SLEEPER: ReceiverTerms = { ...AWAKE, quietHours: [NIGHT] };
const lastNotified = (given: Partial<LastNotified> = {}): LastNotified => ({
  at: 0,
  severity: "warning",
  lastSeenAt: 0,
  notifyCount: 1,
  ended: false,
  ...given,
});

/** For one alert and one receiver. */
function decide(candidate: Candidate, receiver: ReceiverTerms, now: Instant): Decision {
  const [decided] = decideAll([candidate], receiver, now);
  if (decided === undefined) throw new Error("the pipeline lost a candidate");
  return decided.decision;
}

const at = (hour: number, minute = 0) => hour * HOUR + minute * MINUTE;
const decided = (
  alert: Alert,
  before: LastNotified | null,
  now: Instant,
  options: { terms?: Partial<Terms>; receiver?: ReceiverTerms } = {},
) =>
  decide(
    { alert, lastNotified: before, terms: { ...TERMS, ...options.terms } },
    options.receiver ?? AWAKE,
    now,
  );
const summary = (decision: Decision) => [
  decision.do,
  decision.do === "send" ? decision.kind : null,
  decision.reason,
  decision.nextAt,
];

test.each<[string, Partial<Alert>, LastNotified | null, Partial<Terms>, unknown[]]>([
  ["pending", { state: "pending", firedAt: null }, null, {}, ["drop", null, "StillPending", null]],
  ["pending and ended", { firedAt: null, resolvedAt: at(1) }, null, {}, ["drop", null, "NeverFired", null]],
  ["firing, not yet notified", {}, null, {}, ["send", "fired", "FirstNotification", at(9)]],
  ["firing, no repeats", {}, null, { repeatEveryMs: null }, ["send", "fired", "FirstNotification", null]],
  ["notified", { lastSeenAt: at(4) }, lastNotified({ at: at(2) }), {}, ["drop", null, "NothingNew", at(6)]],
  [
    "notified, and doubled since",
    { notifyCount: 2, renotifyReason: "Doubled", lastSeenAt: at(4) },
    lastNotified({ at: at(2) }),
    {},
    ["send", "doubled", "Doubled", at(9)],
  ],
  [
    "notified, and back as another wave",
    { notifyCount: 3, renotifyReason: "NewWave" },
    lastNotified({ notifyCount: 2 }),
    { repeatEveryMs: null },
    ["send", "wave", "NewWave", null],
  ],
  [
    "notified as doubled already",
    { notifyCount: 2, renotifyReason: "Doubled" },
    lastNotified({ notifyCount: 2 }),
    { repeatEveryMs: null },
    ["drop", null, "NothingNew", null],
  ],
  [
    "notified, repeat due",
    { lastSeenAt: at(4) },
    lastNotified({ at: at(1) }),
    {},
    ["send", "reminder", "RepeatIntervalElapsed", at(9)],
  ],
  [
    "notified, repeat due, but no evidence since",
    {},
    lastNotified({ at: at(1) }),
    {},
    ["drop", null, "NoNewEvidence", null],
  ],
  [
    "notified, no repeats",
    { lastSeenAt: at(4) },
    lastNotified(),
    { repeatEveryMs: null },
    ["drop", null, "NothingNew", null],
  ],
  [
    "risen",
    { severity: "critical" },
    lastNotified({ at: at(4, 59) }),
    {},
    ["send", "escalated", "SeverityRose", at(9)],
  ],
  [
    "acknowledged",
    { state: "acknowledged", lastSeenAt: at(4) },
    lastNotified(),
    {},
    ["drop", null, "Acknowledged", null],
  ],
  [
    "acknowledged before the first notification",
    { state: "acknowledged" },
    null,
    {},
    ["send", "fired", "FirstNotification", null],
  ],
  ["resolved", { resolvedAt: at(4) }, lastNotified(), {}, ["send", "resolved", "Resolved", null]],
  [
    "resolved, and notified",
    { resolvedAt: at(4) },
    lastNotified({ ended: true }),
    {},
    ["drop", null, "NothingNew", null],
  ],
  [
    "resolved, and the route sends no ends",
    { resolvedAt: at(4) },
    lastNotified(),
    { sendResolved: false },
    ["drop", null, "ResolveNotWanted", null],
  ],
  ["resolved before it was sent", { resolvedAt: at(4) }, null, {}, ["send", "ended", "FiredAndEnded", null]],
  [
    "resolved long before the first notification",
    { resolvedAt: at(4) - DAY },
    null,
    {},
    ["drop", null, "EndedLongAgo", null],
  ],
  [
    "announced and resolved long ago",
    { resolvedAt: at(4) - 9 * DAY },
    lastNotified(),
    {},
    ["send", "resolved", "Resolved", null],
  ],
  [
    "firing, no longer routed",
    { severity: "critical" },
    lastNotified(),
    { routed: false },
    ["drop", null, "NoLongerRouted", null],
  ],
  [
    "resolved, no longer routed",
    { resolvedAt: at(4) },
    lastNotified(),
    { routed: false },
    ["send", "resolved", "Resolved", null],
  ],
])("an alert that is %s", (_name, alert, before, terms, expected) => {
  expect(summary(decided(alertOf(alert), before, at(5), { terms }))).toEqual(expected);
});

test("a decision to send carries the new last notification", () => {
  const alert = alertOf({ severity: "critical", lastSeenAt: at(4), resolvedAt: at(4, 30) });
  expect(decided(alert, null, at(5))).toMatchObject({
    lastNotified: { at: at(5), severity: "critical", lastSeenAt: at(4), ended: true },
  });
});

test.each<[string, Partial<Alert>, LastNotified | null]>([
  ["a first message", {}, null],
  ["a reminder", { lastSeenAt: at(22) }, lastNotified()],
  ["the end of what was announced", { resolvedAt: at(22) }, lastNotified()],
  ["an end that nobody knew the beginning of", { resolvedAt: at(22) }, null],
])("quiet hours hold %s until they end", (_name, alert, before) => {
  const decision = decided(alertOf({ firedAt: at(12), ...alert }), before, at(23), { receiver: SLEEPER });
  expect(decision).toMatchObject({ do: "hold", reason: "HeldByQuietHours", nextAt: at(31) });
  expect(decision.by).toBe("quiet hours 22:00–07:00 UTC");
  expect(decided(alertOf({ firedAt: at(12), ...alert }), before, at(31), { receiver: SLEEPER }).do).toBe(
    "send",
  );
});

test("quiet hours hold only what would be sent", () => {
  const decision = decided(alertOf(), lastNotified({ at: at(22) }), at(23), { receiver: SLEEPER });
  expect(decision).toMatchObject({ do: "drop", reason: "NothingNew", nextAt: at(26) });
});

test("an alert that rises to critical during quiet hours breaks through, as its first message", () => {
  const alert = alertOf({ firedAt: at(22), severity: "critical" });
  expect(summary(decided(alert, null, at(23), { receiver: SLEEPER }))).toEqual([
    "send",
    "fired",
    "FirstNotification",
    at(27),
  ]);
});

test.each<[Severity, string]>([
  ["info", "ResolvedUnannounced"],
  ["warning", "FiredAndEnded"],
])("an alert of severity %s that began and ended in one night is, in the morning: %s", (severity, reason) => {
  const alert = alertOf({ severity, openedAt: at(23), firedAt: at(23), resolvedAt: at(24) });
  expect(decided(alert, null, at(31), { receiver: SLEEPER }).reason).toBe(reason);
});

test("a mild alert that began before the night and ended in it is sent in the morning", () => {
  const alert = alertOf({ severity: "info", firedAt: at(21, 59), resolvedAt: at(24) });
  expect(decided(alert, null, at(23), { receiver: SLEEPER }).do).toBe("hold");
  expect(decided(alert, null, at(31), { receiver: SLEEPER }).reason).toBe("FiredAndEnded");
});

test("long quiet hours do not make an alert too old to be sent", () => {
  const weekend = QuietHours.parse({ timezone: "UTC", from: "00:00", to: "24:00", days: ["sat", "sun"] });
  const friday = Date.parse("2026-02-13T12:00:00Z");
  const alert = alertOf({ firedAt: friday, resolvedAt: friday + 14 * HOUR });
  const monday = Date.parse("2026-02-16T00:00:00Z");
  const receiver = { ...AWAKE, quietHours: [weekend] };
  expect(decided(alert, null, monday + DAY, { receiver }).reason).toBe("FiredAndEnded");
  expect(decided(alert, null, monday + DAY + 1, { receiver }).reason).toBe("EndedLongAgo");
});

const moments = fc.integer({ min: 0, max: 72 * 60 }).map((minutes) => minutes * MINUTE);
const severities = fc.constantFrom<Severity>("info", "warning", "critical");
const alerts = fc
  .record({
    severity: severities,
    firedAt: moments,
    lasts: moments,
    over: fc.boolean(),
    acknowledged: fc.boolean(),
  })
  .map(({ severity, firedAt, lasts, over, acknowledged }) =>
    alertOf({
      severity,
      openedAt: firedAt,
      firedAt,
      lastSeenAt: firedAt + lasts,
      resolvedAt: over ? firedAt + lasts + 30 * MINUTE : null,
      state: over ? "resolved" : acknowledged ? "acknowledged" : "firing",
    }),
  );
const tolds = fc.option(
  fc.record({
    at: moments,
    severity: severities,
    lastSeenAt: moments,
    notifyCount: fc.constant(1),
    ended: fc.constant(false),
  }),
);

test("before `nextAt` an unchanged alert gets the same decision, and at `nextAt` another one", () => {
  fc.assert(
    fc.property(
      alerts,
      tolds,
      moments,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (alert, before, now, share) => {
        const first = decided(alert, before, now, { receiver: SLEEPER });
        fc.pre(first.do !== "send" && first.nextAt !== null);
        if (first.nextAt === null) return;
        expect(first.nextAt).toBeGreaterThan(now);
        const between = now + Math.floor(share * (first.nextAt - 1 - now));
        expect(decided(alert, before, between, { receiver: SLEEPER }).do).not.toBe("send");
        const then = decided(alert, before, first.nextAt, { receiver: SLEEPER });
        expect([then.reason, then.nextAt]).not.toEqual([first.reason, first.nextAt]);
      },
    ),
    { numRuns: runs(500) },
  );
});

/** Simulates the process: decides at every change of the alert and whenever a decision is due. */
function play(changes: readonly { at: Instant; alert: Alert }[], receiver: ReceiverTerms, terms: Terms) {
  const said: { at: Instant; reason: string; ended: boolean }[] = [];
  let before: LastNotified | null = null;
  let now = 0;
  let next: Instant | null = null;
  let current: Alert | null = null;
  let i = 0;
  for (let steps = 0; steps < 1_000; steps++) {
    const change = changes[i];
    if (change && (next === null || change.at <= next)) {
      now = Math.max(now, change.at);
      current = change.alert;
      i++;
    } else if (next !== null) {
      now = Math.max(now, next);
    } else {
      break;
    }
    if (current === null) break;
    const decision: Decision = decide({ alert: current, lastNotified: before, terms }, receiver, now);
    next = decision.nextAt;
    if (decision.do !== "send") continue;
    before = decision.lastNotified;
    said.push({ at: now, reason: decision.reason, ended: decision.lastNotified.ended });
  }
  return said;
}

test("an announced alert is reported as resolved once, and nothing is sent in quiet hours or after the end", () => {
  fc.assert(
    fc.property(
      severities,
      fc.array(fc.record({ gap: fc.integer({ min: 1, max: 600 }), rises: fc.boolean() }), { maxLength: 12 }),
      moments,
      (severity, growth, firedAt) => {
        const changes = [
          { at: firedAt, alert: alertOf({ severity, openedAt: firedAt, firedAt, lastSeenAt: firedAt }) },
        ];
        let alert = alertOf({ severity, openedAt: firedAt, firedAt, lastSeenAt: firedAt });
        for (const { gap, rises } of growth) {
          const lastSeenAt = alert.lastSeenAt + gap * MINUTE;
          alert = { ...alert, lastSeenAt, severity: rises ? "critical" : alert.severity };
          changes.push({ at: lastSeenAt, alert });
        }
        const resolvedAt = alert.lastSeenAt + 30 * MINUTE;
        changes.push({ at: resolvedAt, alert: { ...alert, state: "resolved", resolvedAt } });
        const said = play(changes, SLEEPER, TERMS);
        expect(said.filter(({ ended }) => ended).length).toBe(said.length > 0 ? 1 : 0);
        if (said.length > 0) expect(said.at(-1)?.ended).toBe(true);
        if (severity !== "info") expect(said.length).toBeGreaterThan(0);
        for (const { at: when } of said) {
          const hour = (when / HOUR) % 24;
          if (alert.severity !== "critical") expect(hour >= 7 && hour < 22).toBe(true);
        }
      },
    ),
  );
});

test("the end of one mention on which nobody acted is sent to programs only", () => {
  const one = { mentions: 1, resolvedAt: at(60) };
  const ended = (alert: Partial<Alert>, readByProgram: boolean) =>
    decided(alertOf(alert), lastNotified(), at(61), { receiver: { ...AWAKE, readByProgram } }).reason;
  expect(ended(one, false)).toBe("EndNeedsNobody");
  expect(ended(one, true)).toBe("Resolved");
  expect(ended({ ...one, handling: { acknowledgedBy: "Ann" } }, false)).toBe("Resolved");
  expect(ended({ ...one, mentions: 2 }, false)).toBe("Resolved");
  expect(ended({ ...one, severity: "critical" }, false)).toBe("Resolved");
});
