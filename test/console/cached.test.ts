import { expect, test } from "vitest";
import { createManualClock } from "../../src/lib/clock.ts";
import { cached } from "../../src/lib/concurrency.ts";

test("a question is asked once for everybody, and again when its answer is old", async () => {
  const clock = createManualClock(0);
  let asked = 0;
  const { ask, isOver } = cached(async () => ++asked, 5_000, clock);
  expect(isOver()).toBe(true);
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  clock.advance(4_999);
  expect([isOver(), await ask()]).toEqual([false, 1]);
  clock.advance(1);
  expect(isOver()).toBe(true);
  expect(await ask()).toBe(2);
});

test("an answer that took long lives longer", async () => {
  const clock = createManualClock(0);
  let asked = 0;
  const { ask } = cached(
    async () => {
      clock.advance(1_000);
      return ++asked;
    },
    5_000,
    clock,
  );
  await ask();
  clock.set(19_999);
  expect(await ask()).toBe(1);
  clock.set(20_000);
  expect(await ask()).toBe(2);
});

test("a question that failed is asked again", async () => {
  let asked = 0;
  const { ask } = cached(
    async () => {
      if (++asked === 1) throw new Error("not now");
      return asked;
    },
    5_000,
    createManualClock(0),
  );
  await expect(ask()).rejects.toThrow("not now");
  expect(await ask()).toBe(2);
});
