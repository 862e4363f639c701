import type { Clock } from "../../lib/clock.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";

export type InboxMessage = SlackInboxMessage | EmailInboxMessage;

/** A message as the local Slack stores it. Texts have no NUL and no half characters, so JSON columns accept them. */
export interface SlackInboxMessage {
  readonly kind: "slack";
  /** `<channel>:<ts>`. */
  readonly id: string;
  readonly receivedAt: Instant;
  /** Channel id. */
  readonly channel: string;
  /** Without `#`. */
  readonly channelName: string;
  /** Slack's name of a message inside its channel: seconds and six digits, in order of arrival. */
  readonly ts: string;
  /** `ts` of the message whose thread it is in, null for a message of the channel. */
  readonly threadTs: string | null;
  /** A reply in a thread that is also sent to the channel. */
  readonly broadcast: boolean;
  /** Only the user who clicked a button sees it; it is not in the channel's history. */
  readonly ephemeral?: boolean;
  readonly text: string;
  /** Block Kit, as sent. */
  readonly blocks: readonly unknown[];
  readonly metadata: {
    readonly eventType: string;
    readonly payload: Readonly<Record<string, unknown>>;
  } | null;
  readonly editedAt: Instant | null;
  /** Ids and titles of its files; absent for most. */
  readonly files?: readonly { readonly id: string; readonly title: string }[];
}

/** A file that the local Slack received, or that came with a mail. */
export interface InboxFile {
  /** As Slack names it: `F…`; of a mail `M…`. */
  readonly id: string;
  readonly name: string;
  /** Media type by its first bytes; `application/octet-stream` if unknown. */
  readonly type: string;
  readonly receivedAt: Instant;
  readonly bytes: Uint8Array;
}

export interface EmailInboxMessage {
  readonly kind: "email";
  readonly id: string;
  readonly receivedAt: Instant;
  /** Envelope. */
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly messageId: string | null;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  /** In the order of the mail, names as written. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly text: string | null;
  /** Hostile content: show it only inside a sandboxed frame. */
  readonly html: string | null;
  /** Files that its HTML shows, by Content-ID; absent for most. */
  readonly pictures?: readonly { readonly cid: string; readonly file: string }[];
}

export interface InboxFilter {
  readonly kind?: InboxMessage["kind"];
  /** Slack: channel id. */
  readonly channel?: string;
  /** Slack: the replies of this thread, without its first message. */
  readonly threadTs?: string;
  /** Only messages older than the one of this id (in the same order as the answer). */
  readonly before?: string;
  readonly limit: number;
}

/** The store of the local inbox. Only the inbox writes; pages may read at the same time. */
export interface InboxStore {
  /** Resolves once the message is stored; only then the sender gets a success. */
  append(message: InboxMessage): Promise<void>;
  /** Replaces the message of the same id. */
  update(message: InboxMessage): Promise<void>;
  find(id: string): Promise<InboxMessage | null>;
  /** Removes a deleted message. */
  remove(id: string): Promise<void>;
  putFile(file: InboxFile): Promise<void>;
  findFile(id: string): Promise<InboxFile | null>;
  /** Newest first, in order of arrival. */
  list(filter: InboxFilter): Promise<readonly InboxMessage[]>;
}

export interface LocalInboxDeps {
  readonly store: InboxStore;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface LocalInboxOptions {
  /** The bot token that the local Slack accepts. */
  readonly token: string;
  /** Existing channel names; default: any name exists. */
  readonly channels?: readonly string[];
  /** The app's scopes, as in Slack's header `x-oauth-scopes`; default all. */
  readonly scopes?: readonly string[];
  /** Users of the workspace, by id; default: any id is known. */
  readonly users?: Readonly<Record<string, string>>;
  /** Accepts `apps.connections.open` with this token, and returns that address. */
  readonly sockets?: { readonly appToken: string; readonly url: () => string };
  /** Where interactions are posted; nowhere if absent. */
  readonly interactivity?: Interactivity;
  /** How long a request or a whole mail may take to arrive, in milliseconds. Default: half a minute. */
  readonly requestTimeoutMs?: number;
}

/** Where the local Slack posts interactions, as in an app's settings ("Interactivity"). */
export interface Interactivity {
  /** Null if nothing listens yet. */
  readonly url: () => string | null;
  readonly signingSecret: string;
  /** The clock of signatures: always wall time, even if the messages have another time. */
  readonly wall: Clock;
}

/** Media type by the first bytes, not by the name: only real pictures are shown as pictures. */
export function typeOfFile(bytes: Uint8Array): string {
  return PNG.every((byte, index) => bytes[index] === byte) ? "image/png" : "application/octet-stream";
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
