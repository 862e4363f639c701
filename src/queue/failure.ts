import { UnrecoverableError } from "bullmq";
import { describeError } from "../lib/errors.ts";

/**
 * What the queue stores of a failed attempt: one sentence, whether a retry can help, and when. `retryable` and
 * `retryAfterMs` are set where the error is thrown; an error without them may be retried.
 */
export function toJobError(error: unknown): Error {
  const sentence = describeError(error).slice(0, 1_000);
  if (readProperty(error, "retryable") === false) return withoutStack(new UnrecoverableError(sentence));
  return withoutStack(new RetryLater(sentence, readNumber(error, "retryAfterMs")));
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

function readProperty(error: unknown, key: string): unknown {
  return typeof error === "object" && error !== null ? Reflect.get(error, key) : undefined;
}

function readNumber(error: unknown, key: string): number | undefined {
  const value = readProperty(error, key);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
