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
  /**
   * Makes the picture of the counts, PNG, 600 pixels wide times two, for readers with a light screen unless told
   * otherwise; null or absent where there is none to show.
   */
  readonly chart?: ((scheme?: "light" | "dark") => Promise<Buffer>) | null;
  /** The message of this alert at this receiver that later ones answer; null when there is none yet. */
  readonly previous: VendorRef | null;
  /** Later notifications whose news this message brings as well; absent for none. */
  readonly alsoTells?: readonly string[];
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
  readonly found?: {
    /** `alsoTells` of that try. */
    readonly alsoTells: readonly string[];
  };
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /**
   * Awaited just before each message goes out; rejects when another worker has taken the notification meanwhile, for
   * then that one sends it. Absent: nobody else can.
   */
  readonly beforePost?: () => Promise<void>;
}

/** A place that takes messages at a pace. Receivers that lead to one place share it. */
export interface ChannelLimit {
  /** Names the place; no secret. */
  readonly key: string;
  /** The least time between two messages on average, in milliseconds of wall time; 0 for any number at once. */
  readonly everyMs: number;
  /** So many may come at once after a rest. */
  readonly burst: number;
}

/** The message that stands for an alert, to be brought up to date. */
export interface LiveMessage extends Pick<AlertMessage, "alertId" | "view" | "chart"> {
  /** Of the notification that it was posted for. */
  readonly notificationId: string;
  /** 1 for the first try since it was last up to date. */
  readonly attempt: number;
  readonly previous: VendorRef;
}

export interface UpdateOptions {
  readonly signal: AbortSignal;
  /** Asked before each new message: whether the place has room for one that nobody waits for. */
  readonly mayPost: () => Promise<boolean>;
  /** Keeps what the vendor calls the message and its parts, each as soon as it is there. */
  readonly onRef: (ref: VendorRef) => Promise<void>;
}

export interface Shown {
  /** False: something is still to be added, soon. */
  readonly finished: boolean;
  /** Whether a picture that was wanted is there; null where none was wanted, or it was not its turn. */
  readonly picture:
    | { readonly outcome: "brought" }
    | { readonly outcome: "left-out"; readonly because: string }
    | null;
}

/** A notifier whose messages can be changed after they were sent. */
export interface LiveMessages {
  /** Changes that nobody is waiting for are made so seldom, in milliseconds of wall time. */
  readonly editEveryMs: number;
  /** The pace of changes, which is another than that of messages. */
  readonly channel: ChannelLimit;
  /** Throws DeliveryError, and nothing else. */
  updateMessage(message: LiveMessage, options: UpdateOptions): Promise<Shown>;
}

/** Something of a receiver that works and could be better, and what to do about it. */
export interface CheckNote {
  readonly found: string;
  readonly advice: string;
}

/** One receiver, ready to be told things. */
export interface Notifier {
  /** It is a program that wants every change by itself, also those that a later one has overtaken. */
  readonly wantsEveryChange?: boolean;
  /** Absent: as many messages as there are. */
  readonly channel?: ChannelLimit;
  readonly liveMessages?: LiveMessages;
  /** Returns once the vendor has taken the message. Throws DeliveryError, and nothing else, when it has not. */
  send(message: NotifierMessage, options: SendOptions): Promise<Taken>;
  /** Asks the vendor whether this receiver would work, without telling anybody anything. Throws DeliveryError. */
  check(options: { signal: AbortSignal }): Promise<void>;
  /** What of a receiver that works could be better; absent where nothing is known. Throws DeliveryError. */
  readonly notes?: (options: { signal: AbortSignal }) => Promise<readonly CheckNote[]>;
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
  /** What of a configuration without faults should be seen to; nobody is asked. */
  readonly concerns?: (config: z.output<Schema>) => readonly CheckNote[];
  create(config: z.output<Schema>, deps: NotifierDeps): Notifier;
}

/** A notifier is one file with one call of this, and one line in `notifiers.ts`. */
export function defineNotifier<Kind extends string, Schema extends z.ZodType<{ kind: Kind }>>(
  definition: NotifierDefinition<Kind, Schema>,
): NotifierDefinition<Kind, Schema> {
  return definition;
}
