import { monotonicMs } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import type { Logger } from "../log.ts";

const EVERY_MS = 10_000;

/**
 * Listens to the `error` events of connections and workers. They retry by themselves, hundreds of times a second
 * while an engine is away: the same sentence is logged once in ten seconds, and none of them ends the process.
 */
export function createQueueErrors(log: Logger): (error: unknown) => void {
  const told = new Map<string, number>();
  return (error) => {
    const sentence = describeError(error);
    const now = monotonicMs();
    if (now - (told.get(sentence) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    if (told.size > 100) told.clear();
    told.set(sentence, now);
    log.warn({ error: sentence }, "the queue's engine has trouble; trying on");
  };
}
