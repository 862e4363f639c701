import { expect, test } from "vitest";
import { coverageOf } from "../../../src/monitor/polling/coverage.ts";

test.each([
  [10, 10, { outcome: "Complete" }],
  [10, 12, { outcome: "Complete" }],
  [0, 0, { outcome: "Complete" }],
  [10, 7, { outcome: "Gap", missing: 3 }],
  [null, 7, { outcome: "Uncounted" }],
])("the source said %s and %i were seen: %j", (total, seen, outcome) => {
  expect(coverageOf({ from: 0, to: 5, total, seen })).toEqual({ from: 0, to: 5, total, seen, ...outcome });
});
