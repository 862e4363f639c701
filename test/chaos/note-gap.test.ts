import fc from "fast-check";
import { expect, test } from "vitest";
import { expectedRepeats } from "./note-gap.ts";

const spread = (every: number, mails: number, noteMs: number) =>
  Array.from({ length: mails }, (_, index) => ({ at: (index + 1) * every, noteMs }));

test("where mails are evenly spread it is kills, times mails per millisecond, times the gap", () => {
  const every = fc.constantFrom(1, 2, 5, 10, 50, 100, 500, 1_000);
  const kills = fc.array(fc.integer({ min: 1_000, max: 10_000 }), { maxLength: 20 });
  fc.assert(
    fc.property(every, kills, fc.integer({ min: 0, max: 900 }), (every, kills, gapMs) => {
      const lastsMs = 10_000;
      const mails = spread(every, lastsMs / every, gapMs);
      const old = (kills.length * mails.length * gapMs) / lastsMs;
      expect(expectedRepeats(mails, kills)).toBeCloseTo(old, 6);
    }),
  );
});

test("a kill in a burst counts for the burst, and one in a quiet minute for nothing", () => {
  const burst = spread(10, 50, 20);
  expect(expectedRepeats(burst, [500])).toBeCloseTo(1);
  expect(expectedRepeats(burst, [500, 60_000])).toBeCloseTo(1);
  expect(expectedRepeats(burst, [0])).toBe(0);
});

test("a note that takes longer than a burst is hit by every kill until it is made", () => {
  const mails = [{ at: 0, noteMs: 30_000 }];
  expect(expectedRepeats(mails, [29_999])).toBe(1);
  expect(expectedRepeats(mails, [30_000])).toBe(0);
});
