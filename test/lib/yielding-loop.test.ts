import { expect, test } from "vitest";
import { yieldingLoop } from "../../src/lib/concurrency.ts";

function* count(to: number, did: (step: number) => void): Generator<void, string> {
  for (let step = 1; step <= to; step++) {
    did(step);
    yield;
  }
  return `${to} steps`;
}

test("a long computation lets others work between its steps, and gives its result in the end", async () => {
  const order: string[] = [];
  setImmediate(() => order.push("somebody else"));
  expect(
    await yieldingLoop(
      count(3, (step) => order.push(`step ${step}`)),
      0,
    ),
  ).toBe("3 steps");
  expect(order.indexOf("somebody else")).toBe(1);
});

test("a short one is done at once", async () => {
  const order: string[] = [];
  const done = yieldingLoop(count(3, (step) => order.push(`step ${step}`)));
  expect(order).toHaveLength(3);
  await done;
});

test("what it throws reaches who asked for it", async () => {
  const breaks = count(3, () => {
    throw new Error("no");
  });
  await expect(yieldingLoop(breaks)).rejects.toThrow("no");
});

test("much long work at once does one step in a turn of the loop, each in its turn", async () => {
  let turn = 0;
  let isDone = false;
  const countTurns = (): void => {
    turn++;
    if (!isDone) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const steps: { readonly of: string; readonly turn: number }[] = [];
  const work = (of: string) =>
    yieldingLoop(
      count(4, () => steps.push({ of, turn })),
      0,
    );
  await Promise.all(["a", "b", "c"].map(work));
  isDone = true;
  // The first step of each is done when it is asked for.
  const later = steps.slice(3);
  expect(new Set(later.map((step) => step.turn)).size).toBe(later.length);
  expect(later.map(({ of }) => of).join("")).toBe("abcabcabc");
});
