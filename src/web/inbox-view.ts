import type { Instant } from "../lib/instant.ts";

/**
 * The messages that went out, where they went to the local inbox. Absent in an installation that sends to the real
 * Slack and a real mail server: then there is no inbox to show.
 */
export interface InboxView {
  /** Newest first. */
  list(filter: { readonly limit: number }): Promise<readonly InboxMessage[]>;
  find(id: string): Promise<InboxMessage | null>;
  /** Blocks (or the plain text, when there are none) as HTML that is safe to show: everything in it is escaped. */
  renderSlack(
    blocks: readonly unknown[],
    fallback: string,
    form?: { readonly action: string; readonly hidden: Readonly<Record<string, string>> },
  ): string;
  /** Somebody uses a button or select of a Slack message. Absent: they are only to be seen. */
  interaction?(press: {
    readonly messageId: string;
    readonly blockId: string;
    readonly actionId: string;
    readonly option?: string;
    readonly userId?: string;
  }): Promise<{ readonly outcome: "Taken" } | { readonly outcome: "Refused"; readonly because: string }>;
  /** A picture that came with a message; null for one that is not there. */
  findFile(id: string): Promise<{ readonly type: string; readonly bytes: Uint8Array } | null>;
}

/** Where the page shows a file of a message. */
export function fileAddress(id: string): string | null {
  return /^F[A-Z0-9]{8,}$/.test(id) ? `/inbox/files/${id}` : null;
}

export type InboxMessage = SlackMessage | EmailMessage;

export interface SlackMessage {
  readonly kind: "slack";
  readonly id: string;
  readonly receivedAt: Instant;
  readonly channel: string;
  /** Without `#`. */
  readonly channelName: string;
  readonly ts: string;
  /** `ts` of the message that it answers. */
  readonly threadTs: string | null;
  readonly text: string;
  readonly blocks: readonly unknown[];
  readonly editedAt: Instant | null;
  /** An answer that is shown in the channel, too. */
  readonly broadcast?: boolean;
  /** Only whoever pressed a button sees it. */
  readonly ephemeral?: boolean;
  /** What was shared with it. */
  readonly files?: readonly { readonly id: string; readonly title: string }[];
}

export interface EmailMessage {
  readonly kind: "email";
  readonly id: string;
  readonly receivedAt: Instant;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly messageId: string | null;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly text: string | null;
  readonly html: string | null;
  /** Files that its HTML shows, by the Content-ID that names them there. */
  readonly pictures?: readonly { readonly cid: string; readonly file: string }[];
}
