import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "../lib/errors.ts";
import type { Logger } from "../log.ts";

/** Between two looks. */
const EVERY_MS = 5_000;

/**
 * Looks again and again until `signal`. On a timer of its own and not as a job: it has to see a queue that stands
 * still. What fails now (the database is away) is looked at again.
 */
export async function checkHealthLoop(
  health: { checkHealth(): Promise<unknown> },
  parts: {
    readonly onFailed: (error: unknown) => void;
    readonly log: Logger;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { onFailed, log, signal } = parts;
  while (!signal.aborted) {
    await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    await health.checkHealth().catch((error: unknown) => {
      if (signal.aborted) return;
      onFailed(error);
      log.warn({ error: describeError(error) }, "Earshot could not look at itself");
    });
  }
}
