import { describeError } from "../../../lib/errors.ts";
import type { Notification } from "../../model/notification.ts";
import type { Notifier, NotifierMessage } from "../define-notifier.ts";
import { DeliveryError } from "../delivery-error.ts";
import { type AcquiredSlot, ANYWHERE, acquireSlot } from "./acquire-slot.ts";
import { asDeliveryError, decideRetry } from "./decide-retry.ts";
import { type DeliverParts, messageOf } from "./deliver.ts";
import { liveView } from "./update-message.ts";

interface CorrectionKey {
  readonly projectId: string;
  readonly notificationId: string;
}

/** A worker's claim. `version` says which deletion is the newest that it covers. */
interface Claim extends CorrectionKey {
  readonly version: number;
  readonly attempts: number;
}

interface CorrectionLog {
  /** Null: it is not due, another worker has it, or its message is still being sent. */
  claim(key: CorrectionKey): Promise<{ readonly claim: Claim; readonly notification: Notification } | null>;
  settle(claim: Claim): Promise<void>;
  /** `retryAfterMs` null: it is not possible, for this reason; it is tried again once a day. */
  postpone(claim: Claim, retryAfterMs: number | null, problem: string | null): Promise<void>;
}

export interface CorrectParts
  extends Pick<DeliverParts, "notifierOf" | "viewOf" | "channelLimits" | "log" | "allRunThis"> {
  readonly corrections: CorrectionLog;
}

export type CorrectOutcome =
  | { readonly outcome: "NotDue" }
  /** The channel has no free slot now. */
  | { readonly outcome: "Paced" }
  | { readonly outcome: "Corrected" }
  /** What this receiver gets cannot be changed, such as a mail. */
  | { readonly outcome: "OutOfReach" }
  | { readonly outcome: "Failed"; readonly error: string; readonly retryAfterMs: number }
  | { readonly outcome: "GivenUp"; readonly error: string };

/**
 * Corrects one message that was sent and shows something that was deleted since: it is made anew from the facts, and
 * the receiver's notifier replaces it. Uses the rate limit of edits where there is one, else that of messages.
 */
export async function correctMessage(
  parts: CorrectParts,
  key: CorrectionKey,
  signal: AbortSignal,
): Promise<CorrectOutcome> {
  const receiver = await parts.log.receiverOf(key.projectId, key.notificationId);
  const notifier = receiver === null ? undefined : parts.notifierOf(receiver);
  const channel = notifier?.liveMessages?.channel ?? notifier?.channel;
  const slot = channel === undefined ? ANYWHERE : await acquireSlot(parts.channelLimits, channel);
  if (slot === null) return { outcome: "Paced" };
  const claimed = await parts.corrections.claim(key);
  if (claimed === null) {
    await slot.giveBack();
    return { outcome: "NotDue" };
  }
  const { claim, notification } = claimed;
  try {
    const done = await correct(parts, notifier, notification, claim.version, signal);
    if (done === "Corrected") await slot.worked();
    else await slot.giveBack();
    await parts.corrections.settle(claim);
    return { outcome: done };
  } catch (error) {
    return await settleFailure(parts, claim, error, slot);
  }
}

async function correct(
  parts: CorrectParts,
  notifier: Notifier | undefined,
  notification: Notification,
  version: number,
  signal: AbortSignal,
): Promise<"Corrected" | "OutOfReach"> {
  if (notifier === undefined && (await parts.allRunThis?.()) === false)
    throw new DeliveryError("its receiver is not configured here", {
      code: "not_configured",
      retryable: true,
    });
  if (notifier?.correct === undefined || notification.vendorRef === null) return "OutOfReach";
  const message = await correctedMessage(parts, notifier, notification);
  // Without its facts nothing can be shown in the place of what was deleted.
  if (message === null) return "OutOfReach";
  await notifier.correct(message, notification.vendorRef, { signal, version });
  return "Corrected";
}

/** A live message is made as each of its edits is, so that either of them may come last. */
async function correctedMessage(
  parts: CorrectParts,
  { liveMessages }: Notifier,
  notification: Notification,
): Promise<NotifierMessage | null> {
  const { id: notificationId, alertId, vendorRef, also = [] } = notification;
  if (liveMessages === undefined || alertId === null || vendorRef?.["inThread"] !== undefined)
    return messageOf(parts, notification, { alone: true });
  const live = await liveView(parts, { ...notification, alertId }, { notificationId, also });
  if (live === null) return null;
  const { view } = live;
  return { notificationId, attempt: 1, kind: "fired", alertId, view, previous: vendorRef };
}

async function settleFailure(
  { corrections }: CorrectParts,
  claim: Claim,
  error: unknown,
  slot: AcquiredSlot,
): Promise<CorrectOutcome> {
  const failure = asDeliveryError(error);
  const message = describeError(failure);
  if (failure.concernsChannel) await slot.failed(message, failure.retryAfterMs);
  const retryAfterMs = decideRetry(failure, claim.attempts, Math.random());
  await corrections.postpone(claim, retryAfterMs, retryAfterMs === null ? message : null);
  return retryAfterMs === null
    ? { outcome: "GivenUp", error: message }
    : { outcome: "Failed", error: message, retryAfterMs };
}
