import { expect, test } from "vitest";
import { type ReceiverFacts, whyReceiver } from "../../../src/monitor/explain/why-receiver.ts";

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
};

test.each([
  [
    "Held",
    { decided: decided("HeldBySilence", "silence by ann: release day", { nextAt: 90 }) },
    "held by a silence (silence by ann: release day), checked again <90>",
  ],
  [
    "Held",
    { decided: decided("HeldByInhibition", "inhibition x: Acme, wave is open") },
    "while a more severe alert is open (inhibition x: Acme, wave is open)",
  ],
  [
    "Held",
    { decided: decided("HeldByQuietHours", "quiet hours 22:00–07:00 UTC", { nextAt: 70 }) },
    "quiet hours 22:00–07:00 UTC), checked again <70>",
  ],
  ["Held", { decided: decided("HeldByThrottle", "throttle, 5 in 1h") }, "throttle, 5 in 1h"],
  ["Held", { decided: decided("HeldByGroup", "group") }, "with others of its group"],
  ["NotSent", { decided: decided("Acknowledged", "ann") }, "somebody has acknowledged it (ann)"],
  [
    "NotSent",
    { decided: decided("EndedLongAgo", "route, forgetAfter 1d") },
    "resolved long ago (route, forgetAfter 1d)",
  ],
  ["NoRoute", { noRoute: "no route takes it there: night: it wants rule x" }, "night: it wants rule x"],
  [
    "SendFailed",
    { newest: { ...SENT, state: "dead", lastError: "550 no such user" } },
    "could not be delivered: 550 no such user",
  ],
  [
    "SendPending",
    { newest: { ...SENT, state: "due", attempts: 2, lastError: "451 later" } },
    "since <10> after 2 failed attempts: 451 later",
  ],
  [
    "Notified",
    { decided: decided("FirstNotification", "route", { notifiedAt: 20 }), newest: { ...SENT, alertId: "b" } },
    "notified <20>, in the message about another alert (r)",
  ],
  [
    "Notified",
    { decided: decided("NothingNew", "already notified", { notifiedAt: 20 }) },
    "notified <20>; since then: nothing new to say",
  ],
] as const)("a receiver: %s", (outcome, changes, text) => {
  const why = whyReceiver({ ...NOTHING, ...changes } as ReceiverFacts, moment);
  expect(why.outcome).toBe(outcome);
  expect(why.text).toContain(text);
});
