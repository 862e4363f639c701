import { expect, test } from "vitest";
import { changeOf, pointsOf } from "../../../src/console/insights/frame.ts";

test.each([
  [112, 100, "12% more than the 100 before"],
  [1_001, 1_000, "1% more than the 1,000 before"],
  [50, 100, "50% less than the 100 before"],
  [1, 1_000, "99% less than the 1,000 before"],
  [0, 1_000, "100% less than the 1,000 before"],
  [300, 100, "3 times the 100 before"],
  [1_051, 1, "1 before"],
  [7, 7, "as many as before"],
  [7, 0, "none before"],
  [0, 0, "and none before"],
])("%i after %i: %s", (now, before, words) => {
  expect(changeOf(now, before)).toBe(words);
});

test("shares are compared in points, and only where both are known", () => {
  expect([pointsOf(0.32, 0.28), pointsOf(0.3, 0.31), pointsOf(0.3, 0.3), pointsOf(0.3, null)]).toEqual([
    ", 4 points more",
    ", 1 point less",
    ", as before",
    "",
  ]);
});
