import { expect, test } from "vitest";
import { readVitest } from "./run-check.ts";

const failed = (...failureMessages: string[]) => ({
  testResults: [
    { message: "", assertionResults: [{ status: "failed", fullName: "it holds", failureMessages }] },
  ],
});

test.each([
  "AssertionError: expected 1 to be 2\n  at a.ts",
  "Error: Property failed after 3 tests\n{ seed: 1 }",
  "Error: Snapshot `a` mismatched",
  "Error: expected 5 to be 4 // Object.is equality",
  'Error: promise resolved "[Function]" instead of rejecting',
  'Error: promise rejected "error: payload string too long { …(15) }" instead of resolving',
])("%j is an assertion that failed", (message) => {
  expect(readVitest(failed(message), "").verdict).toBe("Asserted");
});

test.each([
  "Error: Test timed out in 5000ms.",
  "TypeError: Cannot read properties of undefined",
  "Error: nothing settles",
  'Error: promise rejected "TypeError: x is not a function" instead of resolving',
])("%j is no assertion: the check broke", (message) => {
  expect(readVitest(failed(message), "")).toEqual({ verdict: "Broke", because: message });
});

test("a file that does not load has caught nothing", () => {
  const report = { testResults: [{ message: "Error: Transform failed", assertionResults: [] }] };
  expect(readVitest(report, "")).toEqual({ verdict: "Broke", because: "Error: Transform failed" });
});
