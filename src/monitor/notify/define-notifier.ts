import type { z } from "zod";
import type { Clock } from "../../lib/clock.ts";
import type { Issue } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import type { AlertActions } from "../model/alert-actions.ts";
import type { IncidentNote } from "../model/incident-work.ts";
import type { NotificationKind } from "../model/notification.ts";
import type { Renderer } from "../templates/create-renderer.ts";
import type { DigestView } from "../templates/digest-view.ts";
import type { AlertView } from "../templates/view.ts";

/**
 * What the vendor gave us to find a message again; stored with the notification. Slack `{channel, ts}`, email
 * `{messageId}`. `inThread` names the message that this one answers, if any.
 */
export type VendorRef = Readonly<Record<string, string>>;

export type NotifierMessage = AlertMessage | DigestMessage;

export interface AlertMessage {
  /** The idempotency key: the same on every try. */
  readonly notificationId: string;
  readonly kind: Exclude<NotificationKind, "digest">;
  /** 1 for the first try. From 2 on an earlier try may have been delivered without our knowing. */
  readonly attempt: number;
  readonly alertId: string;
  readonly view: AlertView;
  /** Makes the chart of the counts: PNG, 600 pixels wide at scale 2, by default light; null or absent for none. */
  readonly chart?: ((scheme?: "light" | "dark") => Promise<Buffer>) | null | undefined;
  /** The message of this alert at this receiver that later ones answer; null if there is none yet. */
  readonly previous: VendorRef | null;
  /** Later notifications whose news this message brings as well; absent for none. */
  readonly alsoCovers?: readonly string[];
  /** Counts how often content of the alert was deleted or replaced; absent: never. */
  readonly contentVersion?: number | undefined;
}

export interface DigestMessage {
  readonly notificationId: string;
  readonly kind: "digest";
  readonly attempt: number;
  readonly view: DigestView;
  /** Where it goes; absent: to the address of the receiver. */
  readonly to?: string;
  readonly previous: null;
}

/** What a message shows, whoever it goes to. */
export type MessageContent = Pick<AlertMessage, "kind" | "view"> | Pick<DigestMessage, "kind" | "view">;

export interface SendResult {
  readonly vendorRef: VendorRef;
  /** Set if an earlier try had been delivered: the vendor has the content of that try, not that of this one. */
  readonly found?: {
    /** `alsoCovers` of that try. */
    readonly alsoCovers: readonly string[];
  };
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /**
   * Awaited just before each message goes out. Rejects if another worker has taken the notification, which then sends
   * it. Absent if no other worker can take it.
   */
  readonly beforePost?: () => Promise<void>;
}

interface CorrectOptions {
  readonly signal: AbortSignal;
  /** Counts the corrections of this message, from 1. */
  readonly version: number;
}

/** A rate-limited channel. Receivers that send to the same channel share it. */
export interface ChannelLimit {
  /** Identifies the channel; no secret. */
  readonly key: string;
  /** The key by the vendor's own name of the channel, which only its answer names. Absent: there is no other name. */
  readonly vendorKey?: (sent: VendorRef) => string | undefined;
  /** The least time between two messages on average, in milliseconds of wall time; 0 for no limit. */
  readonly everyMs: number;
  /** How many may be sent at once after a pause. */
  readonly burst: number;
}

/** The live message of an alert, to be updated. */
export interface LiveMessage extends Pick<AlertMessage, "alertId" | "view" | "chart" | "contentVersion"> {
  /** The notification that it was posted for. */
  readonly notificationId: string;
  /** 1 for the first try since it was last up to date. */
  readonly attempt: number;
  readonly previous: VendorRef;
  /** What people wrote about its incident, oldest first: each belongs into its thread. */
  readonly comments?: readonly IncidentNote[];
}

export interface UpdateOptions {
  readonly signal: AbortSignal;
  /** Awaited just before each edit and each post. Rejects if another worker has taken the message. */
  readonly beforePost: () => Promise<void>;
  /** Called before each new message: whether the channel has a free slot for one that nobody waits for. */
  readonly mayPost: () => Promise<boolean>;
  /** Stores the vendor's ids of the message and its parts, each as soon as it is known. */
  readonly onRef: (ref: VendorRef) => Promise<void>;
}

export interface UpdateResult {
  /** False: something is still to be added, soon. */
  readonly finished: boolean;
  /** Whether a wanted picture is there; null if none was wanted, or it was not tried this time. */
  readonly picture:
    | { readonly outcome: "Brought" }
    | { readonly outcome: "LeftOut"; readonly because: string }
    | null;
}

/** A notifier whose messages can be changed after they were sent. */
export interface LiveMessages {
  /** The least time between two updates that nobody waits for, in milliseconds of wall time. */
  readonly editEveryMs: number;
  /** The rate limit of updates, which is separate from that of messages. */
  readonly channel: ChannelLimit;
  /** Throws DeliveryError, and nothing else. */
  updateMessage(message: LiveMessage, options: UpdateOptions): Promise<UpdateResult>;
}

/** A way to improve a receiver that works, and what to do. */
export interface CheckNote {
  readonly found: string;
  readonly advice: string;
}

/** One receiver, ready to send. */
export interface Notifier extends Sender {
  /** A program reads the messages, see NotifierDefinition. */
  readonly readByProgram?: boolean;
  /** Absent: no rate limit. */
  readonly channel?: ChannelLimit;
}

/** What the file of a notifier makes for one receiver. */
interface Sender {
  readonly liveMessages?: LiveMessages;
  /** Returns once the vendor has taken the message. Throws DeliveryError, and nothing else, when it has not. */
  send(message: NotifierMessage, options: SendOptions): Promise<SendResult>;
  /**
   * Replaces what a message showed that was deleted or edited since, or notifies a program of it. The message is as it
   * would be sent now; `sent` is what the vendor gave when it was sent. Again is harmless. Absent: what was sent stays.
   * Throws DeliveryError.
   */
  readonly correct?: (message: NotifierMessage, sent: VendorRef, options: CorrectOptions) => Promise<void>;
  /** Asks the vendor whether this receiver would work, without sending anything. Throws DeliveryError. */
  check(options: { signal: AbortSignal }): Promise<void>;
  /** How a working receiver could be better; absent if it has no such check. Throws DeliveryError. */
  readonly notes?: (options: { signal: AbortSignal }) => Promise<readonly CheckNote[]>;
  close(): Promise<void>;
}

export interface NotifierDeps {
  readonly renderer: Renderer;
  /** The clock for dates in messages (Date headers). */
  readonly clock: Clock;
  readonly log: Logger;
}

/** All that the rest of Earshot knows of a kind of receiver. Nothing outside its file asks which kind it is. */
export interface NotifierDefinition<Kind extends string = string, Schema extends z.ZodType = z.ZodType> {
  readonly kind: Kind;
  /** The schema of one receiver, as people write it, with secrets already filled in. */
  readonly config: Schema;
  /** What it means that a check passed, and that a message was sent: for `earshot doctor` and `earshot send-test`. */
  readonly words: { readonly checked: string; readonly sent: string };
  /**
   * A program reads the messages, and not a person: it gets every change, also those that later ones supersede, and has
   * no throttle unless the receiver sets one.
   */
  readonly readByProgram?: boolean;
  /** The rate limit of the channel that the receiver sends to; absent for none. */
  readonly channel?: (config: z.output<Schema>) => ChannelLimit;
  /**
   * The address of the one person who reads the messages. Only they get links that act or unsubscribe without a login:
   * the readers of a channel are unknown.
   */
  readonly reader?: (config: z.output<Schema>) => string;
  /** Its messages may go to any address that a message names, as users of the console have. */
  readonly reachesPeople?: boolean;
  /** Faults that show only together with other parts of the configuration; paths begin at the receiver. */
  readonly faults?: (config: z.output<Schema>, context: ConfigContext) => readonly Issue[];
  /** Advice on a valid configuration; calls nobody. */
  readonly concerns?: (config: z.output<Schema>) => readonly CheckNote[];
  /** Absent: rule tests cannot send to receivers of this kind. */
  readonly rehearse?: Rehearsal<z.output<Schema>>;
  /** Buttons in the messages. Absent: there are none. */
  readonly interactions?: Interactions<z.output<Schema>>;
  /** The message as its readers get it, for previews: plain values that can be written as JSON. Absent: no preview. */
  readonly preview?: (content: MessageContent, renderer: Renderer) => object;
  create(config: z.output<Schema>, deps: NotifierDeps): Notifier;
}

/** How rule tests send to receivers of this kind: to a server of their own, and never to the vendor. */
interface Rehearsal<Config> {
  /** The same receiver at the local server: nothing of the original address or its secrets is used. */
  readonly config: (config: Config, local: LocalVendors) => Config;
  /** Whether what the local server took is the message of this notification. */
  readonly isOf: (request: RehearsedRequest, notificationId: string) => boolean;
}

/** Servers of this process that take messages instead of the vendors. */
export interface LocalVendors {
  readonly slack: { readonly apiUrl: string; readonly token: string };
  readonly smtp: { readonly host: string; readonly port: number };
  /** Takes any request. */
  readonly httpUrl: string;
}

/** What one of them took. */
export type RehearsedRequest =
  | { readonly by: "slack"; readonly metadata: Readonly<Record<string, unknown>> }
  | { readonly by: "smtp"; readonly messageId: string }
  | { readonly by: "http"; readonly body: string };

/** How clicks on buttons reach Earshot. It gets all receivers of its kind together, because they may share an app. */
export interface Interactions<Config> {
  /** Where the vendor posts clicks; null if no receiver could check that they come from the vendor. */
  endpoint(configs: readonly Config[], deps: InteractionDeps): InteractionEndpoint | null;
  /** The connections by which the vendor sends clicks. While this value is equal, the open connections stay. */
  connections(configs: readonly Config[]): readonly unknown[];
  /** Opens these connections. Resolves when the signal has closed them all. */
  listen(configs: readonly Config[], deps: ListenDeps & { readonly signal: AbortSignal }): Promise<void>;
}

export interface ListenDeps extends InteractionDeps {
  /** A connection is open (null), or could not be opened. Each has a name. Never throws. */
  readonly onConnection: (name: string, problem: ConnectionProblem | null) => void;
}

export interface ConnectionProblem {
  /** Without secrets, with what somebody can do. */
  readonly message: string;
  /** A retry does not help. */
  readonly final: boolean;
}

export interface InteractionDeps {
  readonly actions: Pick<AlertActions, "once" | "linkSlack" | "isOfIncident">;
  /** The clock of signatures. */
  readonly wall: Clock;
  readonly log: Logger;
}

/** A path of the console to which a vendor posts. There is no login: the endpoint checks who posts. */
export interface InteractionEndpoint {
  readonly path: string;
  /** The longest body. */
  readonly mostBytes: number;
  /** Resolves within the vendor's time limit. Rejects if nothing could be stored. */
  take(post: InteractionPost): Promise<"Taken" | "NotSigned" | "Unfit">;
}

interface InteractionPost {
  /** The raw body, because it is signed byte for byte. */
  readonly body: string;
  /** Empty for a header that is not there. */
  header(name: string): string;
  /** The sender's address, for the log. */
  readonly address: string;
}

/** Parts of the configuration that a receiver may need. */
export interface ConfigContext {
  /** The console's public address; null if it has none. */
  readonly publicUrl: string | null;
}

/** A notifier is one file with one call of this, and one line in `notifiers.ts`. */
export function defineNotifier<Kind extends string, Schema extends z.ZodType<{ kind: Kind }>>(
  definition: Omit<NotifierDefinition<Kind, Schema>, "create"> & {
    create(config: z.output<Schema>, deps: NotifierDeps): Sender;
  },
): NotifierDefinition<Kind, Schema> {
  const { channel, readByProgram = false } = definition;
  return {
    ...definition,
    create: (config, deps) => ({
      ...definition.create(config, deps),
      readByProgram,
      ...(channel !== undefined && { channel: channel(config) }),
    }),
  };
}
