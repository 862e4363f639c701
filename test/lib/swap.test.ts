import { expect, test, vi } from "vitest";
import { createSwap } from "../../src/lib/swap.ts";

test("work keeps the value with which it began, and what replaced it is used by what begins later", async () => {
  const swap = createSwap("old");
  let finish = () => {};
  const used: string[] = [];
  const slow = swap.use(async (value) => {
    used.push(value);
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    used.push(value);
  });
  let isIdle = false;
  const idle = swap.replace("new", 60_000).then(() => {
    isIdle = true;
  });
  await swap.use(async (value) => void used.push(value));
  expect(used).toEqual(["old", "new"]);
  expect(isIdle).toBe(false);
  finish();
  await slow;
  await idle;
  expect(used).toEqual(["old", "new", "old"]);
});

test("work that goes on for long with a replaced value is aborted, and waited for two seconds more", async () => {
  vi.useFakeTimers();
  try {
    const swap = createSwap("old");
    const aborted = vi.fn();
    void swap.use(async (_, late) => {
      late.addEventListener("abort", aborted);
      await new Promise(() => {});
    });
    let isIdle = false;
    void swap.replace("new", 1_000).then(() => {
      isIdle = true;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(aborted).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(aborted).toHaveBeenCalledOnce();
    expect(isIdle).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(isIdle).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
