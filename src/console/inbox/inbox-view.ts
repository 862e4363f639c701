import type { LocalInbox } from "./create-local-inbox.ts";
import type { EmailInboxMessage, InboxStore, SlackInboxMessage } from "./inbox-store.ts";
import { LOCAL_PEOPLE } from "./local-account.ts";
import type { ButtonPress, PressResult } from "./press-button.ts";
import { renderSlackMessage } from "./render-slack-message.ts";

/**
 * The sent messages in the local inbox. Absent if messages go to the real Slack and a real mail server.
 */
export interface InboxView {
  /** Newest first. */
  list(filter: { readonly limit: number }): Promise<readonly InboxMessage[]>;
  find(id: string): Promise<InboxMessage | null>;
  /** Blocks (or the plain text, if there are none) as escaped HTML. */
  renderSlack(
    blocks: readonly unknown[],
    fallback: string,
    form?: { readonly action: string; readonly hidden: Readonly<Record<string, string>> },
  ): string;
  /** A user clicks a button or select of a Slack message. If absent, they do nothing. */
  press?(click: Omit<ButtonPress, "by">): Promise<PressResult>;
  /** A picture of a message; null if it does not exist. */
  findFile(id: string): Promise<{ readonly type: string; readonly bytes: Uint8Array } | null>;
}

/** The messages of the local servers, whichever process took them; `press` is the local Slack of this one. */
export function createInboxView(
  { list, find, findFile }: Pick<InboxStore, "list" | "find" | "findFile">,
  press: LocalInbox["press"] | null,
): InboxView {
  const [, , you] = LOCAL_PEOPLE;
  return {
    ...{ list, find, findFile },
    renderSlack: (blocks, fallback, form) =>
      renderSlackMessage(
        blocks,
        fallback,
        fileAddress,
        form === undefined ? null : { ...form, people: LOCAL_PEOPLE },
      ),
    ...(press === null ? {} : { press: (click) => press({ ...click, by: you }) }),
  };
}

/** The console's address of a message's file. */
export function fileAddress(id: string): string | null {
  return /^F[A-Z0-9]{8,}$/.test(id) ? `/inbox/files/${id}` : null;
}

export type InboxMessage = SlackMessage | EmailMessage;

/** What the pages show of a stored message. */
export type SlackMessage = Omit<SlackInboxMessage, "metadata" | "broadcast"> &
  Partial<Pick<SlackInboxMessage, "broadcast">>;
export type EmailMessage = Omit<EmailInboxMessage, "inReplyTo" | "references">;
