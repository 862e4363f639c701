import fc from "fast-check";
import { expect, test } from "vitest";
import { retryDelayMs } from "../../src/lib/retry.ts";

test("delays double from one second and stay below a minute", () => {
  expect([1, 2, 3, 4, 5, 6, 7, 20].map((attempt) => retryDelayMs(attempt, undefined, 0))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000,
  ]);
});

test("what the vendor asks for is what it gets", () => {
  expect(retryDelayMs(3, 12_345, 0.7)).toBe(12_345);
  expect(retryDelayMs(3, -5, 0.7)).toBe(0);
});

test("jobs that failed together do not return together", () => {
  expect([0, 0.5, 1].map((random) => retryDelayMs(1, undefined, random))).toEqual([1_000, 750, 500]);
});

test("chance takes at most a half away", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, random) => {
        const full = retryDelayMs(attempt, undefined, 0);
        const delay = retryDelayMs(attempt, undefined, random);
        return delay >= full / 2 && delay <= full;
      },
    ),
  );
});
