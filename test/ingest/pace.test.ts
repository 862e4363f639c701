import fc from "fast-check";
import { expect, test } from "vitest";
import { nextPollAt, paceOf } from "../../src/ingest/pace.ts";
import { MINUTE } from "../../src/lib/instant.ts";

const WANTED = { pollEveryMs: MINUTE, updatesEveryMs: 5 * MINUTE };

test("without a rate limit every query is walked as often as people want", () => {
  expect(paceOf(WANTED, 50, null)).toEqual({ added: MINUTE, updated: 5 * MINUTE });
});

test("the default limit of thirty calls in ten minutes slows twenty queries down by one factor", () => {
  const pace = paceOf(WANTED, 20, { limit: 30, periodMs: 10 * MINUTE });
  expect(pace.added / MINUTE).toBeCloseTo(10, 1);
  expect(pace.updated / pace.added).toBeCloseTo(5, 3);
});

test("whatever the account, the walks stay within four fifths of its budget", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 600 }), (queries, limit) => {
      const pace = paceOf(WANTED, queries, { limit, periodMs: 10 * MINUTE });
      const calls = queries * ((10 * MINUTE) / pace.added + (10 * MINUTE) / pace.updated);
      expect(calls).toBeLessThanOrEqual(Math.max(limit * 0.8, 0) + 1e-6);
    }),
  );
});

test("a walk is due again within its interval, at a moment of its own", () => {
  const walk = fc.record({
    projectId: fc.string(),
    queryId: fc.string(),
    walk: fc.constantFrom("added" as const, "updated" as const),
  });
  fc.assert(
    fc.property(
      walk,
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
    nextPollAt({ projectId: "1", queryId: `${id}`, walk: "added" }, 0, MINUTE),
  );
  expect(new Set(due.map((at) => Math.floor(at / 3_000))).size).toBeGreaterThan(9);
});
