import { setTimeout as delay } from "node:timers/promises";

/** The result of `work`; rejects if that takes longer than `patienceMs`. */
export async function withTimeout<T>(patienceMs: number, work: Promise<T>): Promise<T> {
  const patience = new AbortController();
  try {
    const late = delay(patienceMs, undefined, { signal: patience.signal }).then(() => {
      throw new Error(`no answer within ${patienceMs} ms`);
    });
    return await Promise.race([work, late]);
  } finally {
    patience.abort();
    work.catch(() => {});
  }
}
