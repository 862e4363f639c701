import { expect, test } from "vitest";
import type { Outcome, PairReport } from "./play-pair.ts";
import { formatReport, isBroken } from "./report.ts";
import type { Report } from "./run.ts";

const SAME: Outcome = {
  ...{ scene: "growth", held: "poll", other: "press", at: 3, statement: "select 1" },
  ...{ outcome: "same", hasWaited: true, difference: [] },
};
const PAIR: PairReport = {
  scene: "growth",
  pair: "growth: poll and press",
  points: 9,
  chosen: 1,
  outcomes: [SAME],
};
const SOUND: Report = { options: { share: 10, seed: 1 }, pairs: [PAIR], left: [], tookMs: 1_000 };
const outcomes = (...some: readonly Outcome[]): Report => ({
  ...SOUND,
  pairs: [{ ...PAIR, outcomes: some }],
});

test("a run in which every chosen point was the same is not broken", () => {
  expect(isBroken(SOUND)).toBe(false);
  expect(formatReport(SOUND)).toContain(
    "1 pairs × 9 points: 1 played, 0 different, 0 late, 0 failed; in 1 the other",
  );
});

test.each([
  ["a point differed", outcomes({ ...SAME, outcome: "different", difference: ["- a message"] })],
  ["a point was late", outcomes({ ...SAME, outcome: "late", difference: ["work waited for 60 s"] })],
  ["a point was not reached", outcomes({ ...SAME, outcome: "not-reached" })],
  ["a point failed", outcomes({ ...SAME, outcome: "failed" })],
  ["a chosen point was not played", outcomes()],
  ["no point of a pair was chosen", { ...SOUND, pairs: [{ ...PAIR, chosen: 0, outcomes: [] }] }],
  ["a pair was not begun", { ...SOUND, left: ["growth: poll and forget"] }],
  ["no pair was played", { ...SOUND, pairs: [] }],
])("a run is broken if %s", (_name, report) => {
  expect(isBroken(report)).toBe(true);
});
