import { expect, test } from "vitest";
import { unusedRoutes } from "../../../src/monitor/explain/explain-routes.ts";
import { type ReceiverFacts, whyReceiver } from "../../../src/monitor/explain/why-receiver.ts";
import { type UnreadFacts, whyUnread } from "../../../src/monitor/explain/why-unread.ts";
import { RouteConfig } from "../../../src/monitor/notify/decide/route.ts";

const moment = (at: number) => `<${at}>`;

const UNREAD: UnreadFacts = {
  ...{ now: 1_000, isWatched: true, unknownBecause: null, deadLetter: null, keptFrom: 0 },
  ...{ completeUntil: 900, nextPollAt: 1_100, gap: null, historyFrom: 100 },
  source: { outcome: "InQuery", addedAt: 500, publishedAt: 500 },
};

test.each([
  [
    "NotInQuery",
    { source: { outcome: "NotInQuery", because: "refund is not in the text", part: "refund" } },
    "refund is not in the text",
  ],
  ["NotAtSource", { source: { outcome: "Unknown" } }, "never found it, or it was taken down"],
  ["NotShownYet", { source: { outcome: "Delayed", visibleAt: 1_500 } }, "<1500>"],
  [
    "NotYetPolled",
    { completeUntil: 400 },
    "since <500>, and not read yet: all up to <400> is read, the next poll is at <1100>",
  ],
  [
    "NotYetPolled",
    { completeUntil: null, nextPollAt: 900 },
    "nothing is read completely yet, the next poll is due now",
  ],
  [
    "InGap",
    { gap: { from: 450, missing: 3, nextAt: 1_200 } },
    "3 mentions more than it sent, from <450> on; it is asked again <1200>",
  ],
  ["BeforeHistory", { historyFrom: 600 }, "reads the query from <600> on"],
  ["BeyondRetention", { keptFrom: 550 }, "deletes what is older than <550>"],
  ["NotStorable", { deadLetter: "neither added nor date is a moment" }, "neither added nor date is a moment"],
  ["Deleted", { deleted: { at: 700, reason: "source" } }, "the source said that it was deleted (<700>)"],
  ["Deleted", { deleted: { at: 700, reason: "request" } }, "somebody asked to forget it (<700>)"],
  ["NotWatched", { isWatched: false }, "which Earshot does not watch"],
  ["ReadButMissing", {}, "everything up to <900> is read, but it is not stored"],
  [
    "SourceCannotSay",
    { source: null, unknownBecause: "The source was not asked" },
    "The source was not asked. What is known here: all up to <900> is read",
  ],
] as const)("a mention that is not stored: %s", (outcome, changes, text) => {
  const why = whyUnread({ ...UNREAD, ...changes } as UnreadFacts, moment);
  expect(why.outcome).toBe(outcome);
  expect(why.text).toContain(text);
});

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

test("of each route that does not take an alert, the first matcher that failed is named", () => {
  const routes = [
    { name: "night", match: { severity: "critical" }, receivers: ["on-call"] },
    { name: "brand", match: { query: "Other*" }, receivers: ["other"] },
    { name: "team", match: { labels: { team: "air" } }, receivers: ["air"] },
    { name: "not mine", match: { not: { rule: "wave" } }, receivers: ["rest"] },
    {
      name: "office",
      receivers: ["comms"],
      routes: [{ name: "vip", match: { rule: "vip" }, receivers: ["boss"] }],
    },
    { name: "late", receivers: ["archive"] },
  ].map((route) => RouteConfig.parse(route));
  const alert = { severity: "warning", queryId: "1", queryName: "Acme", rule: "wave", labels: {} } as const;
  expect(unusedRoutes(routes, alert)).toEqual([
    {
      name: "night",
      receivers: ["on-call"],
      because: "it wants severity critical or higher, and it is warning",
    },
    { name: "brand", receivers: ["other"], because: "it wants query Other*, and it is Acme" },
    { name: "team", receivers: ["air"], because: "it wants team air, and it is without it" },
    { name: "not mine", receivers: ["rest"], because: "it wants not rule wave" },
    { name: "office › vip", receivers: ["boss"], because: "it wants rule vip, and it is wave" },
    {
      name: "late",
      receivers: ["archive"],
      because: 'the route office before it takes the alert (without "continue: true")',
    },
  ]);
});
