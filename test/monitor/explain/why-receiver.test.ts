import { expect, test } from "vitest";
import { type ReceiverFacts, whyReceiver } from "../../../src/monitor/explain/why-receiver.ts";
import type { NotifyReason } from "../../../src/monitor/notify/decide/batch.ts";

const moment = (at: number) => `<${at}>`;

const SENT = {
  ...{ id: "n", receiver: "press", kind: "fired", alertId: "a", rule: "r", queryName: "q", digestName: null },
  ...{ createdAt: 10, reason: "FirstNotification", state: "sent", attempts: 1, sentAt: 20, lastError: null },
} as const;
const decided = (last: string, by: string | null, changes = {}) => ({
  ...{ receiver: "press", last, by, notifiedAt: null, nextAt: null },
  ...changes,
});
const NOTHING: ReceiverFacts = {
  receiver: "press",
  alertId: "a",
  decided: null,
  newest: null,
  noRoute: null,
  isRouted: false,
};

const decidedSent = (last: string, by: string | null = "route") => decided(last, by, { notifiedAt: 20 });

test.each([
  [
    "HeldBySilence",
    { decided: decided("HeldBySilence", "silence by ann: release day", { nextAt: 90 }) },
    "Held",
    "held by a silence (silence by ann: release day), checked again <90>",
  ],
  [
    "HeldByInhibition",
    { decided: decided("HeldByInhibition", "inhibition x: Acme, wave is open") },
    "Held",
    "held while a more severe alert is open (inhibition x: Acme, wave is open)",
  ],
  [
    "HeldByQuietHours",
    { decided: decided("HeldByQuietHours", "quiet hours 22:00–07:00 UTC", { nextAt: 70 }) },
    "Held",
    "held by quiet hours (quiet hours 22:00–07:00 UTC), checked again <70>",
  ],
  [
    "HeldByThrottle",
    { decided: decided("HeldByThrottle", null) },
    "Held",
    "held by the limit of messages; the rest is sent together",
  ],
  [
    "HeldByGroup",
    { decided: decided("HeldByGroup", "group", { notifiedAt: 20 }) },
    "Held",
    "notified <20>; since then held, to be sent with others of its group (group)",
  ],
  [
    "Acknowledged",
    { decided: decided("Acknowledged", "ann") },
    "NotSent",
    "no reminder: somebody has acknowledged it (ann)",
  ],
  [
    "Acknowledged",
    { decided: decided("Acknowledged", null) },
    "NotSent",
    "no reminder: somebody has acknowledged it",
  ],
  [
    "EndedLongAgo",
    { decided: decided("EndedLongAgo", "route, forgetAfter 1d") },
    "NotSent",
    "not sent: it was resolved long ago (route, forgetAfter 1d)",
  ],
  ["NoLongerRouted", { decided: decided("NoLongerRouted", null) }, "NotSent", "no route leads here any more"],
  [
    "NoLongerRouted",
    { decided: decided("NoLongerRouted", null), noRoute: "night: it wants rule x" },
    "NoRoute",
    "night: it wants rule x",
  ],
  [
    "Acknowledged",
    { decided: decided("Acknowledged", "ann"), noRoute: "night: it wants rule x" },
    "NotSent",
    "no reminder: somebody has acknowledged it (ann)",
  ],
  [
    null,
    { noRoute: "no route takes it there: night: it wants rule x" },
    "NoRoute",
    "no route takes it there: night: it wants rule x",
  ],
  [null, {}, "NoRoute", "no route leads here"],
  [null, { isRouted: true }, "NotSent", "a route leads here now; when the alert was last decided, none did"],
  [
    "FirstNotification",
    { newest: { ...SENT, state: "dead", lastError: "550 no such user" } },
    "SendFailed",
    "it could not be delivered: 550 no such user",
  ],
  [
    "FirstNotification",
    { newest: { ...SENT, state: "dead" } },
    "SendFailed",
    "it could not be delivered: no reason is known",
  ],
  [
    "HeldBySilence",
    { decided: decided("HeldBySilence", null), newest: { ...SENT, state: "dead", lastError: "550" } },
    "SendFailed",
    "it could not be delivered: 550; now held by a silence",
  ],
  [
    "FirstNotification",
    { newest: { ...SENT, state: "due", attempts: 0 } },
    "SendPending",
    "it is decided and waits to be sent since <10>",
  ],
  [
    "FirstNotification",
    { newest: { ...SENT, state: "due", attempts: 1 } },
    "SendPending",
    "it is decided and waits to be sent since <10>; attempt 1 has begun, and is not answered yet",
  ],
  [
    "FirstNotification",
    { newest: { ...SENT, state: "due", attempts: 1, lastError: "451" } },
    "SendPending",
    "it is decided and waits to be sent since <10>, tried once; the last failure: 451",
  ],
  [
    "FirstNotification",
    { newest: { ...SENT, state: "due", attempts: 2, lastError: "451" } },
    "SendPending",
    "it is decided and waits to be sent since <10>, tried 2 times; the last failure: 451",
  ],
  [
    "HeldByQuietHours",
    {
      decided: decided("HeldByQuietHours", null),
      newest: { ...SENT, alertId: "b", rule: null, state: "due", attempts: 0 },
    },
    "SendPending",
    "it is decided and waits to be sent since <10>, in the message about another alert (b); now held by quiet hours",
  ],
  ["FirstNotification", { newest: SENT }, "Notified", "notified <20>"],
  ["FirstNotification", { newest: { ...SENT, sentAt: null } }, "Notified", "notified <10>"],
  [
    "FirstNotification",
    { decided: decidedSent("FirstNotification"), newest: SENT },
    "Notified",
    "notified <20>",
  ],
  [
    "Resolved",
    { decided: decidedSent("Resolved"), newest: { ...SENT, alertId: "b" } },
    "Notified",
    "notified <20>, in the message about another alert (r)",
  ],
  [
    "NothingNew",
    { decided: decidedSent("NothingNew", "already notified"), newest: SENT },
    "Notified",
    "notified <20>; since then: nothing new to say (already notified)",
  ],
  [
    "NothingNew",
    { decided: decidedSent("NothingNew", null), newest: SENT },
    "Notified",
    "notified <20>; since then: nothing new to say",
  ],
] as const)("a receiver: %s", (reason, changes, outcome, text) => {
  expect(whyReceiver({ ...NOTHING, ...changes } as ReceiverFacts, moment)).toEqual({
    receiver: "press",
    reason,
    outcome,
    text,
  });
});

/** The compiler asks for a reason that is added. */
const REASONS: Readonly<Record<NotifyReason, true>> = {
  ...{ FirstNotification: true, FiredAndEnded: true, SeverityRose: true, Doubled: true, NewWave: true },
  ...{ DayBegan: true, NewFact: true, RepeatIntervalElapsed: true, Escalated: true, Reopened: true },
  Resolved: true,
};

test.each(Object.keys(REASONS))("nothing is said to have come after a message because of %s", (reason) => {
  const facts = { ...NOTHING, decided: decidedSent(reason), newest: SENT } as ReceiverFacts;
  const { text } = whyReceiver(facts, moment);
  expect(text).toBe("notified <20>");
});
