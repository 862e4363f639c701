import { monotonicMs } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import type { Logger } from "../log.ts";

const EVERY_MS = 10_000;

/** Describes an error of an engine's client for people who do not know that client. */
export function describeQueueError(error: unknown): string {
  if (error instanceof Error && error.name === "MaxRetriesPerRequestError") return "it does not answer";
  if (error instanceof Error && error.cause instanceof Error)
    return `${error.message} (${describeQueueError(error.cause)})`;
  return describeError(error);
}

/**
 * Listens to the `error` events of connections and workers. They retry by themselves, hundreds of times a second while
 * an engine is away: the same sentence is logged once in ten seconds, and none of them ends the process.
 */
export function createQueueErrors(log: Logger): (error: unknown) => void {
  const loggedAt = new Map<string, number>();
  return (error) => {
    const sentence = describeQueueError(error);
    const now = monotonicMs();
    if (now - (loggedAt.get(sentence) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
    if (loggedAt.size > 100) loggedAt.clear();
    loggedAt.set(sentence, now);
    log.warn({ error: sentence }, "the queue's engine has a problem; retrying");
  };
}
