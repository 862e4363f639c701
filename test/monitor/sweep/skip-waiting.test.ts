import fc from "fast-check";
import { expect, test } from "vitest";
import { type AddedJobs, chooseToAdd } from "../../../src/monitor/sweep/skip-waiting.ts";

const keys = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, n) => `${from + n}`);

test("while a long line waits, what was added lately is not added again, and what is new is", () => {
  const first = chooseToAdd(new Map(), { due: keys(0, 500), waiting: 0 }, 1_000);
  expect(first.chosen.size).toBe(500);
  // Forty of them are done a second later, and forty others are due.
  const second = chooseToAdd(first.added, { due: keys(40, 540), waiting: 460 }, 2_000);
  expect([...second.chosen]).toEqual(keys(500, 540));
});

test("what waits for five seconds is added again: its job may be lost while others wait", () => {
  const { added } = chooseToAdd(new Map(), { due: keys(0, 200), waiting: 0 }, 1_000);
  expect(chooseToAdd(added, { due: keys(0, 200), waiting: 100 }, 5_999).chosen.size).toBe(0);
  expect(chooseToAdd(added, { due: keys(0, 200), waiting: 100 }, 6_000).chosen.size).toBe(200);
});

test("an engine that lost its jobs has no line, and gets all of them at once", () => {
  const { added } = chooseToAdd(new Map(), { due: keys(0, 200), waiting: 0 }, 1_000);
  expect(chooseToAdd(added, { due: keys(0, 200), waiting: 99 }, 1_001).chosen.size).toBe(200);
});

test("whatever waits, everything that stays due is added at least every five seconds, and nothing else", () => {
  const sweeps = fc.array(
    fc.record({
      due: fc.uniqueArray(fc.nat(30)),
      waiting: fc.nat(300),
      afterMs: fc.integer({ min: 1, max: 4_000 }),
    }),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(sweeps, (all) => {
      let added: AddedJobs = new Map();
      const lastAdded = new Map<string, number>();
      let now = 0;
      for (const { due, waiting, afterMs } of all) {
        now += afterMs;
        const names = due.map(String);
        const result = chooseToAdd(added, { due: names, waiting }, now);
        added = result.added;
        for (const key of result.chosen) lastAdded.set(key, now);
        for (const key of names) expect(now - (lastAdded.get(key) ?? -Infinity)).toBeLessThan(5_000);
        for (const key of result.chosen) expect(names).toContain(key);
        // It remembers no more than a few seconds of keys.
        expect([...added.values()].every((atMs) => now - atMs < 5_000)).toBe(true);
      }
    }),
  );
});
