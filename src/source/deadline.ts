/** Stops a call after a time, or when a caller's signal aborts. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Why it stopped; null while it may continue. */
  ended(): "timeout" | "aborted" | null;
  /** Must be called when the call has ended. */
  clear(): void;
}

/** One signal made of a timer and the callers' signals. Listeners are removed again: the signals outlive the call. */
export function createDeadline(timeoutMs: number, signals: readonly (AbortSignal | undefined)[]): Deadline {
  const controller = new AbortController();
  let ended: "timeout" | "aborted" | null = null;
  const end = (why: "timeout" | "aborted"): void => {
    ended ??= why;
    controller.abort();
  };
  const onAbort = (): void => end("aborted");
  for (const signal of signals) {
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
  }
  const timer = setTimeout(end, timeoutMs, "timeout");
  return {
    signal: controller.signal,
    ended: () => ended,
    clear: () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener("abort", onAbort);
    },
  };
}
