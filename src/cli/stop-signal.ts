import { monotonicMs } from "../lib/clock.ts";
import { InterruptedError } from "./run.ts";

/** npm passes on the Ctrl-C that the terminal has sent already: what comes so soon is the same key stroke. */
const SAME_STROKE_MS = 1_000;

/** Longer than jobs are waited for. */
const LONGEST_STOP_MS = 40_000;

/**
 * Aborted by Ctrl-C or SIGTERM. A second Ctrl-C ends the process at once: somebody who is in a hurry is right, and
 * nothing is lost that a restart would not find.
 */
export function stopSignal(onStop: (signal: string) => void): AbortSignal {
  const aborter = new AbortController();
  let firstAt = Number.POSITIVE_INFINITY;
  const stop = (signal: NodeJS.Signals): void => {
    if (monotonicMs() - firstAt > SAME_STROKE_MS) process.exit(130);
    if (aborter.signal.aborted) return;
    firstAt = monotonicMs();
    onStop(signal);
    // Whatever hangs on something that is away: stopping stops.
    setTimeout(() => process.exit(130), LONGEST_STOP_MS).unref();
    aborter.abort(new InterruptedError("stopped"));
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return aborter.signal;
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * Everything is closed. Where an engine was away, its client leaves timers behind that would keep the process alive for
 * ever; a moment is left for what is still being written.
 */
export function leave(): void {
  setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
}

const LAST_WORDS_MS = 500;
