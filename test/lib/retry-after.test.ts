import { expect, test } from "vitest";
import { readRetryAfter } from "../../src/lib/retry.ts";

const HOUR = 3_600_000;

test.each([
  ["7", 7_000],
  [" 1.5 ", 1_500],
  ["0", 0],
  ["Wed, 21 Oct 2026 07:28:10 GMT", 10_000],
  ["Wed, 21 Oct 2026 07:27:00 GMT", 0],
  ["Wed, 21 Oct 2099 07:28:00 GMT", HOUR],
  ["99999999999", HOUR],
  ["9".repeat(400), HOUR],
  ["-5", null],
  ["1e9", null],
  ["soon", null],
  ["", null],
  [null, null],
])("Retry-After %j is %j ms", (value, expected) => {
  expect(readRetryAfter(value, Date.UTC(2026, 9, 21, 7, 28))).toBe(expected);
});
