import type { Instant } from "../lib/instant.ts";

/**
 * Why a receiver is told something: the alert fired, began and ended before it could be told, rose in severity, doubled,
 * came as a second and larger wave, came back after its end, is acknowledged by nobody (so the next in line is told),
 * still stands, is over; or a digest is due.
 */
export type NotificationKind =
  | "fired"
  | "ended"
  | "escalated"
  | "doubled"
  | "wave"
  | "reopened"
  | "unanswered"
  | "reminder"
  | "resolved"
  | "digest"
  | "test";

/** due: to be sent; sent: the vendor took it; dead: given up, and shown as such. */
export type NotificationState = "due" | "sent" | "dead";

/** What one receiver is told about one alert (or digest) at one moment. Its id is the idempotency key. */
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
  /** Those of them that were made before the last redelivery. */
  readonly attemptsBefore: number;
  readonly lastError: string | null;
  /** What the vendor gave us to find the message again: Slack `{channel, ts}`, email `{messageId}`. */
  readonly vendorRef: Readonly<Record<string, string>> | null;
  /** Other alerts that the same message tells of. */
  readonly also?: readonly string[];
}

/** What is owed to a receiver, as decided. */
export interface PendingNotification {
  readonly id: string;
  readonly projectId: string;
  readonly receiver: string;
  readonly kind: NotificationKind;
  readonly alertId: string | null;
  readonly digest: { readonly name: string; readonly localDate: string } | null;
  readonly createdAt: Instant;
  readonly reason: string;
  /** Other alerts that the same message tells of, the one that matters most first. */
  readonly also?: readonly string[];
}

/** When a receiver was last told of a group of alerts. */
export interface GroupFlush {
  readonly projectId: string;
  readonly receiver: string;
  readonly key: string;
  readonly at: Instant;
}

/** What a receiver was last told about an alert; its shape belongs to the decision in `notify`. */
export interface ReceiverEntry {
  readonly projectId: string;
  readonly alertId: string;
  readonly receiver: string;
  readonly entry: unknown;
  /** When the decision is to be looked at again without new evidence (repeat, end of quiet hours). */
  readonly nextAt: Instant | null;
}
