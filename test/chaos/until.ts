import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "../../src/lib/clock.ts";

/** Whether it came to hold within so long. A question that cannot be asked now is asked again. */
export async function until(patienceMs: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = monotonicMs() + patienceMs;
  while (true) {
    const isSo = await Promise.resolve(holds()).catch(() => false);
    if (isSo || monotonicMs() > deadline) return isSo;
    await delay(EVERY_MS);
  }
}

const EVERY_MS = 50;
