import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../../lib/clock.ts";
import { describeError } from "../../../lib/errors.ts";
import type { Instant } from "../../../lib/instant.ts";
import { isTransient, retryDelayMs } from "../../../lib/retry.ts";
import type { FailedAttempt, Notification } from "../../model/notification.ts";
import type {
  AlertMessage,
  DigestMessage,
  Notifier,
  NotifierMessage,
  VendorRef,
} from "../define-notifier.ts";
import { DeliveryError } from "../delivery-error.ts";
import { type AcquiredSlot, ANYWHERE, acquireSlot, type ChannelLimits } from "./acquire-slot.ts";
import { asDeliveryError, MOST_ATTEMPTS } from "./decide-retry.ts";
import { holdClaim } from "./hold-claim.ts";
import { kindToSend, type SupersededNotification } from "./superseded.ts";

/** The rows that a delivery reads and settles. */
interface DeliveryLog {
  claim(projectId: string, id: string, channels: readonly string[]): Promise<Notification | null>;
  /** False: another worker has claimed it since. */
  renew(notification: Notification): Promise<boolean>;
  /** Null for a notification that is not stored. */
  receiverOf(projectId: string, id: string): Promise<string | null>;
  /** The next notification to send to these receivers: the most severe, then the oldest. */
  nextDue(receivers: readonly string[]): Promise<{ projectId: string; notificationId: string } | null>;
  firstRef(projectId: string, alertId: string, receiver: string): Promise<VendorRef | null>;
  /** `covered`: ids of the notifications that this message already covers. */
  markSent(
    notification: Notification,
    sentAt: Instant,
    vendorRef: VendorRef,
    covered: readonly string[],
  ): Promise<void>;
  /** `retryAfterMs` null: given up. Changes nothing if another worker has claimed it since. */
  markFailed(notification: Notification, failure: FailedAttempt, retryAfterMs: number | null): Promise<void>;
}

/** The live messages of alerts. */
interface LiveMessageLog {
  /** Marks the alert's message at the receiver, if it has one, for an update. */
  stale(key: {
    readonly projectId: string;
    readonly alertId: string;
    readonly receiver: string;
  }): Promise<void>;
}

export interface DeliverParts {
  readonly log: DeliveryLog;
  readonly channelLimits: ChannelLimits;
  readonly liveMessages: LiveMessageLog;
  /** The receivers whose messages go to this channel. */
  readonly receiversOf: (channel: string) => readonly string[];
  /** Undefined for a receiver that is not configured (any more). */
  readonly notifierOf: (receiver: string) => Notifier | undefined;
  /** The content, from the facts as they are now; null if they are deleted. */
  readonly viewOf: (notification: Notification) => Promise<View | null>;
  /** Whether all processes run the version of these receivers. False during a reload: another one may know more. */
  readonly allRunThis?: () => Promise<boolean>;
  readonly clock: Clock;
}

type View =
  | ({
      readonly about: "alert";
      /**
       * Later ones about the same alert to the same receiver that carry no other alert, oldest first: those that were
       * stored in the state that the message shows, and no newer one.
       */
      readonly behind?: readonly SupersededNotification[];
    } & Pick<AlertMessage, "view" | "chart" | "contentVersion">)
  | ({ readonly about: "digest" } & Pick<DigestMessage, "view" | "to">);

export type DeliverOutcome =
  /** Settled already, held by another worker, not due yet, or behind an earlier one to the same receiver. */
  | { readonly outcome: "NotDue" }
  /** The channel of the receiver has no free slot now. */
  | { readonly outcome: "Paced" }
  | { readonly outcome: "Sent"; readonly receiver: string }
  | { readonly outcome: "Failed"; readonly error: string; readonly retryAfterMs: number }
  | { readonly outcome: "Dead"; readonly error: string };

/**
 * Sends one notification to its receiver and settles its row. A failure concerns this receiver alone: it is stored with
 * its reason and retried with growing pauses for about two days. In a rate-limited channel the most severe waiting
 * notification takes the slot, whichever one the job was about.
 */
export async function deliver(
  parts: DeliverParts,
  job: { projectId: string; notificationId: string },
  signal: AbortSignal,
): Promise<DeliverOutcome> {
  const receiver = await parts.log.receiverOf(job.projectId, job.notificationId);
  const channel = receiver === null ? undefined : parts.notifierOf(receiver)?.channel;
  if (channel === undefined) return deliverOne(parts, [job], ANYWHERE, signal);
  const slot = await acquireSlot(parts.channelLimits, channel);
  if (slot === null) return { outcome: "Paced" };
  const next = await parts.log.nextDue(slot.keys.flatMap(parts.receiversOf));
  // If another worker has just taken that one, the slot is used for this job.
  return deliverOne(parts, next === null ? [job] : [next, job], slot, signal);
}

async function deliverOne(
  parts: DeliverParts,
  jobs: readonly { projectId: string; notificationId: string }[],
  slot: AcquiredSlot,
  signal: AbortSignal,
): Promise<DeliverOutcome> {
  const notification = await claimFirst(parts, jobs, slot);
  if (notification === null) {
    await slot.giveBack();
    return { outcome: "NotDue" };
  }
  const claim = holdClaim(() => parts.log.renew(notification));
  try {
    const notifier = parts.notifierOf(notification.receiver);
    if (notifier === undefined) {
      const error = `no receiver "${notification.receiver}" is configured`;
      if ((await parts.allRunThis?.()) !== false)
        return await giveUp(parts, notification, { code: "not_configured", detail: error });
      throw new DeliveryError(`${error} here, and processes run different configurations`, {
        code: "not_configured",
        retryable: true,
      });
    }
    const message = await messageOf(parts, notification, { alone: notifier.readByProgram === true });
    if (message === null)
      return await giveUp(parts, notification, {
        code: "gone",
        detail: "its alert or digest is no longer stored",
      });
    const { vendorRef, found } = await notifier.send(message, {
      signal: AbortSignal.any([signal, claim.lost]),
      beforePost: claim.renew,
    });
    const carried = message.kind === "digest" ? undefined : message.alsoCovers;
    const covered = found?.alsoCovers ?? carried ?? [];
    // Nothing may come between: after a crash here nobody knows that the message was sent, and it is sent again.
    await noteSent(signal, async () => {
      // Written first: after a crash in between, a sent message is still updated with its alert.
      if (notifier.liveMessages !== undefined) await follow(parts, notification);
      await parts.log.markSent(notification, parts.clock.now(), vendorRef, covered);
    });
    await slot.worked(vendorRef);
    return { outcome: "Sent", receiver: notification.receiver };
  } catch (error) {
    if (claim.lost.aborted) return { outcome: "NotDue" };
    return await settleFailure(parts, notification, asDeliveryError(error), slot);
  } finally {
    void claim.letGo();
  }
}

/** The message was sent and only this process knows: while the database is down, it retries until that is stored. */
async function noteSent(signal: AbortSignal, note: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await note();
    } catch (error) {
      if (!isTransient(error) || tries >= MOST_NOTES || signal.aborted) throw error;
      await delay(BETWEEN_NOTES_MS);
    }
  }
}

/** Together half a minute: as long as a database takes to start again. */
const MOST_NOTES = 300;
const BETWEEN_NOTES_MS = 100;

async function claimFirst(
  { log }: DeliverParts,
  jobs: readonly { projectId: string; notificationId: string }[],
  slot: Pick<AcquiredSlot, "keys">,
): Promise<Notification | null> {
  for (const { projectId, notificationId } of jobs) {
    const notification = await log.claim(projectId, notificationId, slot.keys);
    if (notification !== null) return notification;
  }
  return null;
}

async function follow({ liveMessages }: DeliverParts, notification: Notification): Promise<void> {
  const { projectId, alertId, receiver, kind } = notification;
  if (alertId !== null && kind !== "test") await liveMessages.stale({ projectId, alertId, receiver });
}

async function settleFailure(
  parts: DeliverParts,
  notification: Notification,
  error: DeliveryError,
  slot: AcquiredSlot,
): Promise<DeliverOutcome> {
  const message = error.advice === null ? describeError(error) : `${describeError(error)}. ${error.advice}`;
  const failure = { code: error.code, detail: message };
  // A channel with a problem waits as a whole, and each message only as long as the channel: so they keep their order.
  const channelWaits = error.concernsChannel ? await slot.failed(message, error.retryAfterMs) : 0;
  const attempts = notification.attempts - notification.attemptsBefore;
  if (!error.retryable) return giveUp(parts, notification, failure);
  if (attempts >= MOST_ATTEMPTS) {
    const detail = `given up after ${attempts} attempts in two days or more: ${message}`;
    return giveUp(parts, notification, { ...failure, detail });
  }
  if (channelWaits > 0) {
    // Due at once: the channel waits, and this one is still the first when it opens.
    await parts.log.markFailed(notification, failure, 0);
    return { outcome: "Failed", error: message, retryAfterMs: channelWaits };
  }
  const retryAfterMs = Math.max(
    error.retryAfterMs ?? 0,
    // Up to a quarter longer, so that messages that failed together do not retry together.
    retryDelayMs(attempts, undefined, 0) * (1 + Math.random() / 4),
  );
  await parts.log.markFailed(notification, failure, retryAfterMs);
  return { outcome: "Failed", error: message, retryAfterMs };
}

async function giveUp(
  parts: DeliverParts,
  notification: Notification,
  failure: FailedAttempt,
): Promise<DeliverOutcome> {
  await parts.log.markFailed(notification, failure, null);
  return { outcome: "Dead", error: failure.detail };
}

/** The message as it would be sent now; null if its facts are deleted. `alone`: it covers no notification behind it. */
export async function messageOf(
  parts: Pick<DeliverParts, "viewOf" | "log">,
  notification: Notification,
  { alone }: { readonly alone: boolean },
): Promise<NotifierMessage | null> {
  const { id: notificationId, attempts: attempt, kind, alertId, receiver, projectId } = notification;
  const [found, previous] = await Promise.all([
    parts.viewOf(notification),
    alertId === null ? null : parts.log.firstRef(projectId, alertId, receiver),
  ]);
  if (found === null) return null;
  if (found.about === "digest") {
    const { view, to } = found;
    const digest = { notificationId, attempt, kind: "digest", view, previous: null } as const;
    return to === undefined ? digest : { ...digest, to };
  }
  if (alertId === null || kind === "digest") return null;
  const { chart, contentVersion } = found;
  const behind = alone ? [] : (found.behind ?? []);
  const kindNow = kindToSend(kind, behind, found.view.resolvedAt !== null);
  const view = { ...found.view, kind: kindNow };
  return {
    notificationId,
    attempt,
    kind: kindNow,
    alertId,
    view,
    previous,
    chart,
    contentVersion,
    ...(behind.length > 0 && { alsoCovers: behind.map(({ id }) => id) }),
  };
}
