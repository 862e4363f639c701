import { expect, test } from "vitest";
import { type UnreadFacts, whyUnread } from "../../../src/monitor/explain/why-unread.ts";

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
  // One boundary each: what is kept, what is read, what is complete, a gap.
  ["ReadButMissing", { keptFrom: 500 }, "is read, but it is not stored"],
  ["ReadButMissing", { historyFrom: 500 }, "is read, but it is not stored"],
  ["NotYetPolled", { completeUntil: 500 }, "not read yet: all up to <500>"],
  ["InGap", { gap: { from: 500, missing: 1, nextAt: null } }, "1 mention more than it sent, from <500> on"],
  ["ReadButMissing", { gap: { from: 501, missing: 1, nextAt: null } }, "is read, but it is not stored"],
  [
    "BeyondRetention",
    { keptFrom: 450, source: { outcome: "InQuery", addedAt: 500, publishedAt: 400 } },
    "older than <450>",
  ],
  [
    "NotYetPolled",
    { source: { outcome: "InQuery", addedAt: null, publishedAt: 400 }, nextPollAt: 1_000 },
    "it is in the query, and not read yet: all up to <900> is read, the next poll is due now",
  ],
  ["NotYetPolled", { completeUntil: null, nextPollAt: null }, "not read yet: nothing is read completely yet"],
  [
    "SourceCannotSay",
    { source: null, unknownBecause: "It answers 403", gap: { from: 450, missing: 3, nextAt: null } },
    "it is not stored. It answers 403. What is known here: all up to <900> is read, the next poll is at <1100>; 3 mentions missing since <450>",
  ],
  ["NotWatched", { isWatched: false }, "which Earshot does not watch"],
  ["ReadButMissing", {}, "everything up to <900> is read, but it is not stored"],
  [
    "SourceCannotSay",
    { source: null },
    "The source was not asked. What is known here: all up to <900> is read",
  ],
] as const)("a mention that is not stored: %s", (outcome, changes, text) => {
  const why = whyUnread({ ...UNREAD, ...changes } as UnreadFacts, moment);
  expect(why.outcome).toBe(outcome);
  expect(why.text).toContain(text);
});
