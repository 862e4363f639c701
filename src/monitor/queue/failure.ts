import { UnrecoverableError } from "bullmq";
import { monotonicMs } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { ClassifiedError } from "../../lib/retry.ts";

/**
 * What the queue stores of a failed attempt: one sentence, whether a retry can help, and when. An error that nobody
 * classified may be retried.
 */
export function toJobError(error: unknown): Error {
  const sentence = describeError(error).slice(0, 1_000);
  const known = error instanceof ClassifiedError ? error : null;
  if (known?.retryable === false) return withoutStack(new UnrecoverableError(sentence));
  return withoutStack(new RetryLater(sentence, known?.retryAfterMs ?? undefined));
}

export function retryAfterOf(error: unknown): number | undefined {
  return error instanceof RetryLater ? error.retryAfterMs : undefined;
}

export function isFinal(error: unknown): boolean {
  return error instanceof UnrecoverableError;
}

class RetryLater extends Error {
  override readonly name = "RetryLater";
  readonly retryAfterMs: number | undefined;
  constructor(message: string, retryAfterMs: number | undefined) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Stacks of every attempt would be stored with the job; the log line of the failure has them. */
function withoutStack(error: Error): Error {
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

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
