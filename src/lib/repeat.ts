import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "./errors.ts";
import { SECOND } from "./instant.ts";
import type { Logger } from "./log.ts";

/** Works now and then until `signal`; soon again after a failure, which is logged. */
export async function repeat(parts: {
  readonly work: () => Promise<unknown>;
  /** Real time between two runs. */
  readonly everyMs: () => Promise<number>;
  /** Real time from a run that failed to the next one; default 15 seconds. */
  readonly afterFailureMs?: number;
  readonly problem: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { work, everyMs, afterFailureMs = SOON_MS, problem, log, signal } = parts;
  while (!signal.aborted) {
    let pauseMs = afterFailureMs;
    try {
      await work();
      pauseMs = await everyMs().catch(() => afterFailureMs);
    } catch (error) {
      if (!signal.aborted) log.error({ error: describeError(error) }, problem);
    }
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

const SOON_MS = 15 * SECOND;
