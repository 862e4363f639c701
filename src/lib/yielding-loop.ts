import { setImmediate as turn } from "node:timers/promises";
import { monotonicMs } from "./clock.ts";

/** Runs a long computation step by step, and lets other work of the process run after every `busyMs`. */
export async function yieldingLoop<Result>(
  steps: Iterator<unknown, Result>,
  busyMs = BUSY_MS,
): Promise<Result> {
  let since = monotonicMs();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    if (monotonicMs() - since < busyMs) continue;
    await turn();
    since = monotonicMs();
  }
}

/** Short enough that no waiting request notices it. */
const BUSY_MS = 20;
