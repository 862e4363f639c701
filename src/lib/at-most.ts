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
