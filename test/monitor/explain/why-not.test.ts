import { expect, test } from "vitest";
import { type NoveltyFacts, type WindowFacts, whyNot } from "../../../src/monitor/explain/why-not.ts";

const MINUTE = 60_000;
const moment = (at: number) => `minute ${at / MINUTE}`;

type Facts = Parameters<typeof whyNot>[0];

/** A mention that arrived while its query was watched, and that meets a rule. */
const FACTS: Facts = {
  ...{ kind: "mention", queries: null, appliesTo: true, miss: null, heldSince: null, alert: null },
  ...{ arrivedAt: 60 * MINUTE, watchFrom: 60 * MINUTE, forMs: 0, window: null, novelty: null },
};
const fired = { id: "a", fired: true, openedAt: 61 * MINUTE };
const judged = (more: Partial<Extract<WindowFacts, { outcome: "Judged" }>> = {}): WindowFacts => ({
  ...{ outcome: "Judged", at: 65 * MINUTE, met: false, because: "3 in 10 min", missing: [], warmUp: null },
  ...more,
});
const few = (facet: string): NoveltyFacts => ({
  ...{ outcome: "TooFew", facet, authors: 1, atLeast: 3, firstAt: 50 * MINUTE },
});
const CHANGED =
  "it meets the rule as it is now, but led to no alert: the rule or the mention has changed since";
const BEFORE =
  "it arrived before this query was watched (since minute 90): such mentions only teach what is usual";
const HELD = "the rule was held from minute 40: it opened more alerts than anybody can read";

test.each<[string, Partial<Facts>, string, string]>([
  ["an alert on a mention", { alert: fired }, "Alerted", "it led to an alert"],
  ["an alert on counts", { kind: "window", alert: fired }, "Alerted", "it was counted into an alert"],
  [
    "a rule for other queries",
    { appliesTo: false, queries: ["Acme", "Bolt"], miss: "its language is not de" },
    "OtherQueries",
    "the rule is only for the queries Acme, Bolt",
  ],
  [
    "a condition",
    { miss: "its language is not de", window: judged() },
    "ConditionNotMet",
    "its language is not de",
  ],
  [
    "an alert that never fired",
    { alert: { ...fired, fired: false }, forMs: 9.6 * MINUTE, window: judged() },
    "ForNotReached",
    "the rule was true from minute 61, but not for the 10 min that it has to be (for)",
  ],
  [
    "a new rule",
    { window: { outcome: "NotCounted" } },
    "NotCounted",
    "it is not counted for the rule yet: the rule is new, or was not loaded by the running Earshot",
  ],
  [
    "an open window",
    { window: { outcome: "NotJudged", judgedUntil: 55 * MINUTE } },
    "NotJudgedYet",
    "it is counted, and its window is not closed yet; windows are judged up to minute 55",
  ],
  [
    "old counts",
    { window: { outcome: "CountsGone" } },
    "CountsGone",
    "it cannot be known any more: the counts of that time are deleted (retention)",
  ],
  [
    "a rule that learns",
    { window: judged({ warmUp: "9 more days", met: true }) },
    "WarmingUp",
    "the rule was warming up and could not fire: it needed 9 more days (3 in 10 min)",
  ],
  ["a window that is met", { window: judged({ met: true }) }, "ChangedSince", CHANGED],
  [
    "a window that is met, and has to be for a while",
    { window: judged({ met: true }), forMs: 5 * MINUTE },
    "ForNotReached",
    "the rule was true from minute 65, but not for the 5 min that it has to be (for)",
  ],
  [
    "a window that is met, before the query was watched",
    { window: judged({ met: true }), forMs: 5 * MINUTE, watchFrom: 90 * MINUTE },
    "BeforeWatch",
    BEFORE,
  ],
  [
    "a rule that rests",
    { window: judged({ missing: [{ of: "cooldown", text: "it rests until minute 70" }] }) },
    "CoolingDown",
    "it rests until minute 70",
  ],
  [
    "two limits",
    {
      window: judged({
        missing: [
          { of: "volume", text: "3 of 5" },
          { of: "share", text: "20 of 40 %" },
        ],
      }),
    },
    "LimitNotReached",
    "3 of 5; 20 of 40 % (the nearest window, until minute 65)",
  ],
  ["no limit", { window: judged() }, "LimitNotReached", "3 in 10 min (the nearest window, until minute 65)"],
  ["no value", { novelty: { outcome: "NoValue", facet: "domain" } }, "NoNewValue", "it has no domain"],
  [
    "values that are learned",
    { novelty: { outcome: "WarmingUp", needs: "2 more days" } },
    "WarmingUp",
    "the rule was warming up and could not fire: it needed 2 more days",
  ],
  [
    "a known value",
    { novelty: { outcome: "KnownBefore", facet: "domain", firstAt: 20 * MINUTE } },
    "ValueKnownBefore",
    "its domain was not new: first seen minute 20",
  ],
  [
    "a value of too few authors",
    { novelty: few("domain") },
    "TooFewAuthors",
    "its domain was new, and had 1 of the 3 authors that are needed: 2 short (first seen minute 50)",
  ],
  [
    "an author of too few mentions",
    { novelty: few("author") },
    "TooFewAuthors",
    "its author was new, and had 1 of the 3 mentions that are needed: 2 short (first seen minute 50)",
  ],
  ["a value that is new enough", { novelty: { outcome: "Enough" } }, "ChangedSince", CHANGED],
  [
    "a new value, before the query was watched",
    { novelty: { outcome: "Enough" }, watchFrom: 90 * MINUTE, heldSince: 40 * MINUTE },
    "BeforeWatch",
    BEFORE,
  ],
  [
    "a new value under a held rule",
    { novelty: { outcome: "Enough" }, heldSince: 40 * MINUTE },
    "RuleHeld",
    HELD,
  ],
  ["nothing", {}, "ChangedSince", CHANGED],
  ["a time before the watch", { watchFrom: 90 * MINUTE, heldSince: 40 * MINUTE }, "BeforeWatch", BEFORE],
  ["a held rule", { heldSince: 40 * MINUTE }, "RuleHeld", HELD],
])("%s is the reason", (_name, more, outcome, text) => {
  expect(whyNot({ ...FACTS, ...more }, moment)).toEqual({ outcome, text });
});
