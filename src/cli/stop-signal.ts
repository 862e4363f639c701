import { monotonicMs } from "../lib/clock.ts";
import { InterruptedError } from "./run.ts";

/** npm forwards the Ctrl-C that the terminal has already sent: a second signal this soon is the same key stroke. */
const SAME_STROKE_MS = 1_000;

/** Longer than the wait for running jobs. */
const LONGEST_STOP_MS = 40_000;

/**
 * A signal that Ctrl-C or SIGTERM aborts. A second Ctrl-C ends the process at once; nothing is lost, because a restart
 * finds the open work.
 */
export function stopSignal(onStop: (signal: string) => void): AbortSignal {
  const aborter = new AbortController();
  let firstAt = Number.POSITIVE_INFINITY;
  const stop = (signal: NodeJS.Signals): void => {
    if (monotonicMs() - firstAt > SAME_STROKE_MS) process.exit(130);
    if (aborter.signal.aborted) return;
    firstAt = monotonicMs();
    onStop(signal);
    // Stop even if something hangs on a service that is away.
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
 * Ends the process after everything is closed. The client of an engine that was away leaves timers that would keep the
 * process alive for ever. The short delay lets the last output be written.
 */
export function leave(): void {
  setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
}

const LAST_WORDS_MS = 500;
