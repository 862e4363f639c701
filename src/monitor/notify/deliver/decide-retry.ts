import { describeError } from "../../../lib/errors.ts";
import { retryDelayMs } from "../../../lib/retry.ts";
import { DeliveryError } from "../delivery-error.ts";

/** Waits grow to a minute and then stay there, so this is at least two days, whatever the fault. */
export const MOST_ATTEMPTS = 2_880;

/**
 * How long the edit of a message waits before it is tried again, in milliseconds; null: it is given up.
 *
 * @param attempts tries made so far, from 1
 * @param random from 0 to 1
 */
export function decideRetry(failure: DeliveryError, attempts: number, random: number): number | null {
  if (!failure.retryable || attempts >= MOST_ATTEMPTS) return null;
  return Math.max(failure.retryAfterMs ?? 0, retryDelayMs(attempts, undefined, random));
}

/** Our own fault (a template, a fact of an unexpected shape) must not be retried for ever either. */
export function asDeliveryError(error: unknown): DeliveryError {
  return error instanceof DeliveryError
    ? error
    : new DeliveryError(describeError(error), { code: "failed", retryable: true });
}
