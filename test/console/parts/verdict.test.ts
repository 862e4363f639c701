import { expect, test } from "vitest";
import { ago, type Coverage, judgeHealth } from "../../../src/console/parts/verdict.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/lib/instant.ts";
import type { ShownPoll } from "../../../src/monitor/model/shown.ts";

const NOW = Date.UTC(2026, 2, 2, 12);
const POLL: ShownPoll = {
  ...{ projectId: "7", projectName: "Brands", queryId: "1", queryName: "Acme", active: true, poll: "added" },
  ...{ polledAt: NOW - 20 * SECOND, nextPollAt: NOW + MINUTE, completeUntil: NOW - MINUTE, watchFrom: null },
  ...{ tickedUntil: NOW - MINUTE, failures: 0, lastError: null, polls: 10, seen: 5, stored: 5, rejected: 0 },
  ...{ gap: 0, gapFrom: null, gapNoticedAt: null, gapNextAt: null },
};
const WELL: Coverage = {
  ...{ now: NOW, polls: [POLL], deadLetters: [], budgets: [], outages: [], quirks: [], warmingUp: [] },
  ...{ waits: [], heartbeat: { outcome: "Beats", at: NOW } },
  configuration: { asked: "1", processes: [] },
};
const wait = { receiver: "comms", waiting: 2, forMs: null, because: "invalid_auth" };

test("where all works it says so, and names nothing", () => {
  expect(judgeHealth(WELL, [])).toEqual({
    ...{ outcome: "Well", headline: "Everything is read, and messages go out", troubles: [] },
  });
});

test("before the first answer nobody is told that all is well", () => {
  expect(judgeHealth({ ...WELL, polls: [] }, []).headline).toBe("No query is watched yet");
  const polls = [POLL, { ...POLL, queryName: "New", polledAt: null }];
  expect(judgeHealth({ ...WELL, polls }, []).outcome).toBe("NotKnown");
});

test.each([
  [
    "a query cannot be read",
    { polls: [{ ...POLL, failures: 3, lastError: "503", completeUntil: NOW - 2 * HOUR - 5 * MINUTE }] },
    "Acme cannot be read: asking failed 3 times in a row (503). Read up to 2h ago.",
  ],
  [
    "a query was never read",
    { polls: [{ ...POLL, failures: 1, completeUntil: null }] },
    "Acme cannot be read: asking failed once. Nothing of it was read yet.",
  ],
  ["a gap", { polls: [{ ...POLL, gap: 1 }] }, "1 mention of Acme is missing; it is asked for again."],
  [
    "a clock that was ahead",
    { polls: [{ ...POLL, completeUntil: NOW + 2 * HOUR }] },
    "A clock was ahead by 2h when Acme was read.",
  ],
  [
    "a receiver that is refused",
    { waits: [{ ...wait, outcome: "Refused" }] },
    "Messages to comms do not get through.",
  ],
  [
    "its own check",
    { heartbeat: { outcome: "CannotDeliver", at: NOW, reason: "the queue is away" } },
    "Earshot's own check fails: the queue is away.",
  ],
] as const)("what is wrong is said in a sentence: %s", (_, facts, sentence) => {
  const { outcome, troubles } = judgeHealth({ ...WELL, ...facts }, []);
  expect([outcome, troubles]).toEqual(["Troubled", [sentence]]);
});

test("a channel that only waits its turn is no trouble, a silent feed is, and many of a kind are summed up", () => {
  expect(judgeHealth({ ...WELL, waits: [{ ...wait, outcome: "Paused" }] }, []).outcome).toBe("Well");
  const { troubles } = judgeHealth(WELL, ["a", "b", "c", "d", "e", "f", "g"]);
  expect(troubles).toHaveLength(6);
  expect(troubles[0]).toBe("The feed a brings nothing at the moment.");
  expect(troubles.at(-1)).toBe("And 2 more like it.");
});

test("a time that is past is named by its largest unit", () => {
  expect([20 * SECOND, 3 * MINUTE + 20 * SECOND, 2 * DAY].map((ms) => ago(NOW - ms, NOW))).toEqual([
    ...["a moment ago", "3m ago", "2d ago"],
  ]);
});
