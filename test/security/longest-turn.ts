import { readFileSync } from "node:fs";

/**
 * The longest turn of this thread's event loop while `work` runs, in milliseconds of the thread's own processor time:
 * what else the machine does counts for nothing. Linux only.
 */
export async function longestTurnWhile(work: () => Promise<unknown>): Promise<number> {
  let [longest, last, isDone] = [0, usedMs(), false];
  const turn = (): void => {
    const now = usedMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    isDone = true;
  }
  return longest;
}

function usedMs(): number {
  return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
}
