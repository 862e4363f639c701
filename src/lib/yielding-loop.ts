import { setImmediate as turn } from "node:timers/promises";
import { monotonicMs } from "./clock.ts";

/** Runs a long computation to its end, step by step, and lets the rest of the process work after every `busyMs`. */
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

/** Nobody who waits for an answer notices it. */
const BUSY_MS = 20;
