import type { Clock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import type { Instant } from "../lib/instant.ts";
import { retryDelayMs } from "../lib/retry-delay.ts";
import type { Notification } from "../model/notification.ts";
import type { AlertMessage, Notifier, NotifierMessage, VendorRef } from "./define-notifier.ts";
import { DeliveryError } from "./delivery-error.ts";
import { ANYWHERE, type LaneLog, type TakenLane, takeLane } from "./take-lane.ts";

/** The rows that a delivery reads and settles. */
export interface DeliveryLog {
  claim(projectId: string, id: string): Promise<Notification | null>;
  renew(projectId: string, id: string): Promise<void>;
  /** Null for one that is not stored. */
  receiverOf(projectId: string, id: string): Promise<string | null>;
  /** What could be sent to these receivers next: the gravest, and of those the oldest. */
  nextDue(receivers: readonly string[]): Promise<{ projectId: string; notificationId: string } | null>;
  firstRef(projectId: string, alertId: string, receiver: string): Promise<VendorRef | null>;
  markSent(notification: Notification, sentAt: Instant, vendorRef: VendorRef): Promise<void>;
  /** `retryAfterMs` null: given up. */
  markFailed(notification: Notification, error: string, retryAfterMs: number | null): Promise<void>;
}

/** Which state of an alert its message shows. */
export interface ShownLog {
  stateOf(projectId: string, alertId: string): Promise<string | null>;
  shown(
    key: { readonly projectId: string; readonly alertId: string; readonly receiver: string },
    state: string,
    terms: { readonly editEveryMs: number; readonly isOver: boolean },
  ): Promise<void>;
}

export interface DeliverParts {
  readonly log: DeliveryLog;
  readonly lanes: LaneLog;
  readonly shown: ShownLog;
  /** The receivers whose messages go to one place. */
  readonly receiversOf: (lane: string) => readonly string[];
  /** Undefined for a receiver that is not configured (any more). */
  readonly notifierOf: (receiver: string) => Notifier | undefined;
  /** What the reader is to see, from the facts as they stand now; null when those are gone. */
  readonly viewOf: (notification: Notification) => Promise<View | null>;
  readonly clock: Clock;
}

type View =
  | ({ readonly about: "alert" } & Pick<AlertMessage, "view" | "chart">)
  | { readonly about: "digest"; readonly view: Extract<NotifierMessage, { kind: "digest" }>["view"] };

export type DeliverOutcome =
  /** Settled already, held by another worker, waiting for its time, or for an earlier one to the same reader. */
  | { readonly outcome: "not-due" }
  /** The place that its messages go to takes none at this moment. */
  | { readonly outcome: "paced" }
  | { readonly outcome: "sent"; readonly receiver: string }
  | { readonly outcome: "failed"; readonly error: string; readonly retryAfterMs: number }
  | { readonly outcome: "dead"; readonly error: string };

/**
 * Brings one notification to its receiver and settles its row. A failure belongs to this receiver alone: it is noted
 * with its reason and comes back after a while, longer every time, for about two days. Where messages go to one place
 * at a pace, the gravest that waits for that place takes the turn, whichever the job was about.
 */
export async function deliver(
  parts: DeliverParts,
  job: { projectId: string; notificationId: string },
  signal: AbortSignal,
): Promise<DeliverOutcome> {
  const receiver = await parts.log.receiverOf(job.projectId, job.notificationId);
  const lane = receiver === null ? undefined : parts.notifierOf(receiver)?.lane;
  if (lane === undefined) return deliverOne(parts, job, ANYWHERE, signal);
  const place = await takeLane(parts.lanes, lane);
  if (place === null) return { outcome: "paced" };
  const next = (await parts.log.nextDue(parts.receiversOf(lane.key))) ?? job;
  return deliverOne(parts, next, place, signal);
}

async function deliverOne(
  parts: DeliverParts,
  job: { projectId: string; notificationId: string },
  place: TakenLane,
  signal: AbortSignal,
): Promise<DeliverOutcome> {
  const notification = await parts.log.claim(job.projectId, job.notificationId);
  if (notification === null) {
    await place.giveBack();
    return { outcome: "not-due" };
  }
  const keepAlive = setInterval(() => {
    // A renewal that fails leaves the lease to run out; the row decides what is sent.
    parts.log.renew(notification.projectId, notification.id).catch(() => {});
  }, RENEW_EVERY_MS);
  try {
    const notifier = parts.notifierOf(notification.receiver);
    if (notifier === undefined)
      return await giveUp(parts, notification, `no receiver "${notification.receiver}" is configured`);
    // Read before the alert is: what changes in between is then found to be not shown yet.
    const state = await stateOf(parts, notification);
    const message = await messageOf(parts, notification);
    if (message === null) return await giveUp(parts, notification, "what it was about is stored no longer");
    const { vendorRef } = await notifier.send(message, { signal });
    await place.worked();
    await parts.log.markSent(notification, parts.clock.now(), vendorRef);
    if (message.kind !== "digest") await follow(parts, notification, notifier, message, state, vendorRef);
    return { outcome: "sent", receiver: notification.receiver };
  } catch (error) {
    return await settleFailure(parts, notification, asDeliveryError(error), place);
  } finally {
    clearInterval(keepAlive);
  }
}

async function stateOf({ shown }: DeliverParts, { projectId, alertId }: Notification): Promise<string> {
  return (alertId === null ? null : await shown.stateOf(projectId, alertId)) ?? "";
}

/**
 * From now on the message follows its alert. A new one still lacks what comes after it, so it is looked at again at
 * once; a reply has brought the message that it answers up to date.
 */
async function follow(
  { shown }: DeliverParts,
  { projectId, receiver }: Notification,
  { following }: Notifier,
  { alertId, view, kind }: AlertMessage,
  state: string,
  vendorRef: VendorRef,
): Promise<void> {
  if (following === undefined || kind === "test") return;
  const isReply = vendorRef["inThread"] !== undefined;
  const key = { projectId, alertId, receiver };
  const isOver = isReply && view.resolvedAt !== null;
  await shown.shown(key, isReply ? state : "", { editEveryMs: isReply ? following.editEveryMs : 0, isOver });
}

const RENEW_EVERY_MS = 3_000;

/** Waits grow to a minute, so this is some two days of a place that is away; any other fault is given up earlier. */
const MOST_ATTEMPTS_AWAY = 2_880;
const MOST_ATTEMPTS = 60;

async function settleFailure(
  parts: DeliverParts,
  notification: Notification,
  error: DeliveryError,
  place: TakenLane,
): Promise<DeliverOutcome> {
  const told = error.advice === null ? describeError(error) : `${describeError(error)}. ${error.advice}`;
  // Where the place is in trouble it waits, and each message only for that: so they come in their order when it is back.
  const placeWaits = error.concernsPlace ? await place.failed(told, error.retryAfterMs) : 0;
  const most = error.concernsPlace ? MOST_ATTEMPTS_AWAY : MOST_ATTEMPTS;
  if (!error.retryable || notification.attempts >= most) return giveUp(parts, notification, told);
  if (placeWaits > 0) {
    // Due at once: what waits is the place, and this one is still the first in line when it opens.
    await parts.log.markFailed(notification, told, 0);
    return { outcome: "failed", error: told, retryAfterMs: placeWaits };
  }
  const retryAfterMs = Math.max(
    error.retryAfterMs ?? 0,
    retryDelayMs(notification.attempts, undefined, Math.random()),
  );
  await parts.log.markFailed(notification, told, retryAfterMs);
  return { outcome: "failed", error: told, retryAfterMs };
}

/** A fault of ours (a template, a fact of an unexpected shape) must not be tried for ever either. */
function asDeliveryError(error: unknown): DeliveryError {
  return error instanceof DeliveryError
    ? error
    : new DeliveryError(describeError(error), { retryable: true });
}

async function giveUp(
  parts: DeliverParts,
  notification: Notification,
  error: string,
): Promise<DeliverOutcome> {
  await parts.log.markFailed(notification, error, null);
  return { outcome: "dead", error };
}

async function messageOf(parts: DeliverParts, notification: Notification): Promise<NotifierMessage | null> {
  const found = await parts.viewOf(notification);
  if (found === null) return null;
  const { id: notificationId, attempts: attempt, kind, alertId, receiver, projectId } = notification;
  if (found.about === "digest")
    return { notificationId, attempt, kind: "digest", view: found.view, previous: null };
  if (alertId === null || kind === "digest") return null;
  const previous = await parts.log.firstRef(projectId, alertId, receiver);
  const { view, chart } = found;
  return { notificationId, attempt, kind, alertId, view, previous, ...(chart !== undefined && { chart }) };
}
