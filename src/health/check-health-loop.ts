import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "../lib/errors.ts";
import type { Logger } from "../log.ts";

/** Pause between two checks. */
const EVERY_MS = 5_000;

/**
 * Checks the health until `signal` aborts. It has its own timer and is no job, because it must notice a queue that
 * stands still. A failed check (the database is down) is repeated.
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
      log.warn({ error: describeError(error) }, "the health check failed");
    });
  }
}
