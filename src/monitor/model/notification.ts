import type { Instant } from "../../lib/instant.ts";

/**
 * Why a receiver is notified: the alert fired; fired and ended before it was sent; became more severe; doubled; came as
 * a second, larger wave; a new day of an incident began; a new kind of fact joined it; reopened; is unacknowledged, so the next in line is notified; is still open; is resolved; or a
 * digest is due.
 */
export type NotificationKind =
  | "fired"
  | "ended"
  | "escalated"
  | "doubled"
  | "wave"
  | "day"
  | "fact"
  | "reopened"
  | "unanswered"
  | "reminder"
  | "resolved"
  | "digest"
  | "test";

/** due: to be sent; sent: the vendor accepted it; dead: given up, and shown as such. */
export type NotificationState = "due" | "sent" | "dead";

/** Why an attempt to deliver failed: `code` for programs (see `DeliveryError`), `detail` for people. */
export interface FailedAttempt {
  readonly code: string;
  readonly detail: string;
}

/** One message to one receiver about one alert (or digest) at one moment. Its id is the idempotency key. */
export interface Notification {
  readonly id: string;
  readonly projectId: string;
  readonly receiver: string;
  readonly kind: NotificationKind;
  readonly alertId: string | null;
  readonly digest: { readonly name: string; readonly localDate: string } | null;
  /** Domain time of the decision. */
  readonly createdAt: Instant;
  readonly state: NotificationState;
  /** The named reason of the decision to send: `FirstNotification`, `RepeatIntervalElapsed`, … */
  readonly reason: string;
  readonly attempts: number;
  /** Of those, the ones before the last redelivery. */
  readonly attemptsBefore: number;
  readonly lastError: string | null;
  /** What the vendor gave us to find the message again: Slack `{channel, ts}`, email `{messageId}`. */
  readonly vendorRef: Readonly<Record<string, string>> | null;
  /** Other alerts in the same message, the most important one first. */
  readonly also?: readonly string[];
}

/** A pending notification, as decided. */
export type PendingNotification = Pick<
  Notification,
  "id" | "projectId" | "receiver" | "kind" | "alertId" | "digest" | "createdAt" | "reason" | "also"
>;

/** When a receiver was last notified of a group of alerts. */
export interface GroupFlush {
  readonly projectId: string;
  readonly receiver: string;
  readonly key: string;
  readonly at: Instant;
}

/** The last notification of a receiver about an alert; its shape belongs to the decision in `notify`. */
export interface ReceiverEntry {
  readonly projectId: string;
  readonly alertId: string;
  readonly receiver: string;
  readonly entry: unknown;
  /** When to decide again without new evidence (repeat, end of quiet hours). */
  readonly nextAt: Instant | null;
}
