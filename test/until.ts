import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "../src/lib/clock.ts";

/** Waits until it is so. Rejects, naming what was waited for, when it does not come to that in time. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { withinMs, everyMs = 10 }: { withinMs: number; everyMs?: number },
): Promise<void> {
  const late = monotonicMs() + withinMs;
  while (!(await isSo())) {
    if (monotonicMs() > late) throw new Error(`waited in vain until ${what}`);
    await delay(everyMs);
  }
}
