import { setTimeout as delay } from "node:timers/promises";

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
