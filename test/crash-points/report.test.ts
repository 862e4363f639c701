import { expect, test } from "vitest";
import { isBroken } from "./report.ts";
import type { Outcome } from "./run.ts";

const SAME: Outcome = {
  ...{ k: 1, mode: "bare", fate: "kill", chapter: "arrivals", repeated: 0, stoodInGap: false },
  ...{ point: { peer: "postgres", name: "commit", side: "after", nth: 1 }, outcome: "same", difference: [] },
};

test.each([
  ["all chosen points were the same", 1, [SAME], false],
  ["a point differed", 1, [{ ...SAME, outcome: "different", difference: ["- a mention"] } as const], true],
  ["a point was not reached", 1, [{ ...SAME, outcome: "not-reached" } as const], true],
  ["a chosen point was not played", 2, [SAME], true],
  ["none was chosen", 0, [], true],
])("when %s, of %d chosen", (_name, chosen, outcomes, broken) => {
  expect(isBroken({ chosen, outcomes })).toBe(broken);
});
