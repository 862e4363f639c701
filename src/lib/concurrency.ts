import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { monotonicMs } from "./clock.ts";
import { BusyError } from "./errors.ts";

/**
 * Runs `most` pieces of work at a time; `waiting` more wait for their turn, in order. Rejects with a BusyError beyond
 * that.
 */
export function atMost(most: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) {
      if (queue.length >= waiting) throw new BusyError("too much of this is asked at once");
      // Finished work hands its slot on, so the order is kept.
      await new Promise<void>((resolve) => queue.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

/** The result of `work`; rejects if that takes longer than `timeoutMs`. */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  try {
    const late = delay(timeoutMs, undefined, { signal: timer.signal }).then(() => {
      throw new Error(`no answer within ${timeoutMs} ms`);
    });
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
    work.catch(() => {});
  }
}

/** Work that yields one result after another, one of them ahead of its use. */
export interface Prefetch<Result> {
  /** Starts the next piece of work now; otherwise `take` starts it. One is ahead, never more. */
  begin(): void;
  /** The next result. A failure ahead is thrown here. */
  take(): Promise<Result>;
}

/** A consumer that is busy with one result, and knows a moment at which the processor is idle, calls `begin`. */
export function prefetch<Result>(work: () => Promise<Result>): Prefetch<Result> {
  let coming: Promise<Result> | null = null;
  const start = (): Promise<Result> => {
    if (coming === null) {
      coming = work();
      // Nobody may ever take it.
      coming.catch(() => undefined);
    }
    return coming;
  };
  return {
    begin: start,
    take: async () => {
      try {
        return await start();
      } finally {
        coming = null;
      }
    },
  };
}

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
