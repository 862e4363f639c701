import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateGaps, expectedRepeats, type Repeat, repeatedBeside } from "./note-gap.ts";

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

test("a mail that a kill kept from being noted was on its way twice as long as until the kill", () => {
  const mails = [
    { at: 100, noteMs: 20 },
    { at: 1_000, noteMs: null },
    { at: 5_000, noteMs: null },
  ];
  expect(estimateGaps(mails, [1_150])).toEqual([
    { at: 100, noteMs: 20 },
    { at: 1_000, noteMs: 300 },
    // No kill was near: it came again for another reason.
    { at: 5_000, noteMs: 20 },
  ]);
});

test("where some notes take long, as many repeats are expected as there are", () => {
  // One mail a second for hours. Of a hundred, one waits for its note half a second: a kill hits that one, as a rule.
  let state = 7;
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
  const sent = spread(1_000, 10_000, 10).map(({ at }, index) => ({
    at,
    noteMs: index % 100 === 0 ? 500 : 10,
  }));
  const killsAt = Array.from({ length: 4_000 }, () => Math.floor(random() * 10_000_000)).toSorted(
    (a, b) => a - b,
  );
  const seen = sent.map(({ at, noteMs }) => {
    const isHit = killsAt.some((kill) => kill >= at && kill - at < noteMs);
    return { at, noteMs: isHit ? null : noteMs };
  });
  const repeats = seen.filter(({ noteMs }) => noteMs === null).length;
  expect(repeats).toBeGreaterThan(40);
  const expected = expectedRepeats(estimateGaps(seen, killsAt), killsAt);
  expect(Math.abs(expected - repeats)).toBeLessThan(3 * Math.sqrt(repeats));
});

test("mails that one kill repeats count once, and what no kill repeats counts each time", () => {
  const mail = (handedOverAt: number) => ({ handedOverAt }) as Repeat["mail"];
  const repeat = (first: number, killedAfterMs: number | null): Repeat => ({
    mail: mail(first + 20_000),
    afterMs: 20_000,
    killedAfterMs,
  });
  expect(repeatedBeside([repeat(1_000, 80), repeat(1_020, 60), repeat(1_040, 40), repeat(9_000, 5)])).toBe(2);
  expect(
    repeatedBeside([repeat(1_000, null), repeat(1_000, null), repeat(1_000, 4_000), repeat(2_000, 3_000)]),
  ).toBe(0);
});
