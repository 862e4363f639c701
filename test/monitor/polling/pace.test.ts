import fc from "fast-check";
import { expect, test } from "vitest";
import { MINUTE } from "../../../src/lib/instant.ts";
import { nextPollAt } from "../../../src/monitor/polling/finish-poll.ts";

test("a poll is due again within its interval, at a moment of its own", () => {
  const poll = fc.record({
    projectId: fc.string(),
    queryId: fc.string(),
    poll: fc.constantFrom("added" as const, "updated" as const),
  });
  fc.assert(
    fc.property(
      poll,
      fc.integer({ min: 0, max: 2e12 }),
      fc.integer({ min: 1_000, max: 1e9 }),
      (key, now, every) => {
        const next = nextPollAt(key, now, every);
        expect(next).toBeGreaterThan(now);
        expect(next).toBeLessThanOrEqual(now + every);
        expect(nextPollAt(key, next, every)).toBe(next + every);
      },
    ),
  );
});

test("twenty queries that were first seen together are not polled together", () => {
  const due = Array.from({ length: 20 }, (_, id) =>
    nextPollAt({ projectId: "1", queryId: `${id}`, poll: "added" }, 0, MINUTE),
  );
  expect(new Set(due.map((at) => Math.floor(at / 3_000))).size).toBeGreaterThan(9);
});
