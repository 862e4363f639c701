import { monotonicMs } from "./clock.ts";

/** npm forwards the Ctrl-C that the terminal has already sent: a second signal this soon is the same key stroke. */
const SAME_STROKE_MS = 1_000;

/** Longer than the wait for running jobs. */
const LONGEST_STOP_MS = 40_000;

/** Ctrl-C or a stop signal came before the work was done. */
export class InterruptedError extends Error {
  override readonly name = "InterruptedError";
}

/** One for the process: whoever asks later, perhaps after the signal came, gets the same. */
let stopping: AbortController | null = null;

/**
 * A signal that Ctrl-C or SIGTERM aborts. A second Ctrl-C ends the process at once; nothing is lost, because a restart
 * finds the open work. Ask for it before anything is opened or loaded: until then a signal kills the process.
 */
export function stopSignal(onStop: (signal: string) => void = () => {}): AbortSignal {
  stopping ??= listen();
  const { signal } = stopping;
  const report = (): void => onStop(signal.reason instanceof InterruptedError ? signal.reason.message : "");
  if (signal.aborted) report();
  else signal.addEventListener("abort", report, { once: true });
  return signal;
}

function listen(): AbortController {
  const aborter = new AbortController();
  let firstAt = Number.POSITIVE_INFINITY;
  const stop = (signal: NodeJS.Signals): void => {
    if (monotonicMs() - firstAt > SAME_STROKE_MS) process.exit(130);
    if (aborter.signal.aborted) return;
    firstAt = monotonicMs();
    // Stop even if something hangs on a service that is away.
    setTimeout(() => process.exit(130), LONGEST_STOP_MS).unref();
    aborter.abort(new InterruptedError(signal));
  };
  // The process that started this one by `fork` has ended, or wants no more of it.
  process.once("disconnect", () => {
    if (!aborter.signal.aborted) stop("SIGTERM");
  });
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return aborter;
}

/**
 * What was opened; null where the signal came first: whatever failed then failed because of it, and what had been opened
 * is closed again.
 */
export function unlessStopped<T>(opening: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return opening.catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
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
