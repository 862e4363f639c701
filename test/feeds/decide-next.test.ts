import { describe, expect, test } from "vitest";
import { decideNext, nextCheckMs, nextReadingMs } from "../../src/feeds/run/decide-next.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/instant.ts";

const success = { everyMs: 10 * MINUTE, failures: 0, retryAfterMs: null, isFinal: false };
const failure = { ...success, failures: 1 };

describe("the next fetch", () => {
  test.each([
    ["a twentieth before its interval at the earliest", success, 0, 9.5 * MINUTE],
    ["a twentieth after it at the latest", success, 1, 10.5 * MINUTE],
    ["at it on average", success, 0.5, 10 * MINUTE],
    ["at a whole number of milliseconds", { ...success, everyMs: 100_001 }, 0, 95_001],
    ["when its server wants it, though all went well", { ...success, retryAfterMs: HOUR }, 1, HOUR],
    ["at its interval, if its server wants less", { ...success, retryAfterMs: MINUTE }, 1, 10.5 * MINUTE],
    ["after a failure at its interval at the latest", failure, 0, 10 * MINUTE],
    ["after a failure up to a quarter earlier", failure, 1, 7.5 * MINUTE],
    ["after a failure at a whole number of milliseconds", { ...failure, everyMs: 100_001 }, 1, 75_001],
    ["after a first failure soon, where its interval is long", { ...failure, everyMs: HOUR }, 0, 15 * MINUTE],
    ["after a failure in a minute, where its interval is shorter", { ...failure, everyMs: 1 }, 0, MINUTE],
    ["after a failure when its server wants it", { ...failure, retryAfterMs: HOUR }, 0, HOUR],
    [
      "after a failure up to a tenth later than its server wants",
      { ...failure, retryAfterMs: HOUR },
      1,
      66 * MINUTE,
    ],
    ["later than its server wants, by whole milliseconds", { ...failure, retryAfterMs: 600_006 }, 1, 660_007],
  ])("comes %s", (_name, outcome, random, waitMs) => {
    expect(decideNext(outcome, random)).toBe(waitMs);
  });
});

test("a stored item is asked for again after half of its age, in whole milliseconds", () => {
  expect(nextCheckMs(2 * HOUR + 1)).toBe(HOUR + 1);
});

test("the wait for an answer that cannot be read doubles from ten minutes to a day", () => {
  const waits = [1, 2, 3, 8, 9, 40].map((n) => nextReadingMs(n) / MINUTE);
  expect(waits).toEqual([10, 20, 40, 1_280, DAY / MINUTE, DAY / MINUTE]);
});
