import type { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../log.ts";
import type { NotificationKind } from "../model/notification.ts";
import type { Renderer } from "../templates/create-renderer.ts";
import type { DigestView } from "../templates/digest-view.ts";
import type { AlertView } from "../templates/view.ts";

/**
 * What the vendor gave us to find a message again; stored with the notification. Slack `{channel, ts}`, email
 * `{messageId}`. `inThread` is there when the message answers another one, and names it.
 */
export type VendorRef = Readonly<Record<string, string>>;

export type NotifierMessage = AlertMessage | DigestMessage;

export interface AlertMessage {
  /** The idempotency key: the same on every try. */
  readonly notificationId: string;
  readonly kind: Exclude<NotificationKind, "digest">;
  /** 1 for the first try. From 2 on an earlier try may have got through without our knowing. */
  readonly attempt: number;
  readonly alertId: string;
  readonly view: AlertView;
  /** Makes the picture of the counts, PNG, 600 pixels wide times two; null or absent where there is none to show. */
  readonly chart?: (() => Promise<Buffer>) | null;
  /** The message of this alert at this receiver that later ones answer; null when there is none yet. */
  readonly previous: VendorRef | null;
}

export interface DigestMessage {
  readonly notificationId: string;
  readonly kind: "digest";
  readonly attempt: number;
  readonly view: DigestView;
  readonly previous: null;
}

/** What a message shows, whoever it goes to. */
export type MessageContent = Pick<AlertMessage, "kind" | "view"> | Pick<DigestMessage, "kind" | "view">;

export interface Taken {
  readonly vendorRef: VendorRef;
  /** An earlier try had got through, so the vendor has what was to be said then, and not what is to be said now. */
  readonly isFound?: boolean;
}

/** One receiver, ready to be told things. */
export interface Notifier {
  /** It is a program that wants every change by itself, also those that a later one has overtaken. */
  readonly wantsEveryChange?: boolean;
  /** Returns once the vendor has taken the message. Throws DeliveryError, and nothing else, when it has not. */
  send(message: NotifierMessage, options: { signal: AbortSignal }): Promise<Taken>;
  /** Asks the vendor whether this receiver would work, without telling anybody anything. Throws DeliveryError. */
  check(options: { signal: AbortSignal }): Promise<void>;
  close(): Promise<void>;
}

export interface NotifierDeps {
  readonly renderer: Renderer;
  /** The clock whose time messages carry (Date headers). */
  readonly clock: Clock;
  readonly log: Logger;
}

export interface NotifierDefinition<Kind extends string = string, Schema extends z.ZodType = z.ZodType> {
  readonly kind: Kind;
  /** Of one receiver, as people write it, with secrets already filled in. */
  readonly config: Schema;
  create(config: z.output<Schema>, deps: NotifierDeps): Notifier;
}

/** A notifier is one file with one call of this, and one line in `notifiers.ts`. */
export function defineNotifier<Kind extends string, Schema extends z.ZodType<{ kind: Kind }>>(
  definition: NotifierDefinition<Kind, Schema>,
): NotifierDefinition<Kind, Schema> {
  return definition;
}
