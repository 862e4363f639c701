import { InterruptedError } from "./run.ts";

/**
 * Aborted by Ctrl-C or SIGTERM. A second Ctrl-C ends the process at once: somebody who is in a hurry is right, and
 * nothing is lost that a restart would not find.
 */
export function stopSignal(onStop: (signal: string) => void): AbortSignal {
  const aborter = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    if (aborter.signal.aborted) process.exit(130);
    onStop(signal);
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
