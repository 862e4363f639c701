import type { WebClient } from "@slack/web-api";
import { slackErrorCode } from "./slack-error.ts";

/** Where to search: a thread, else the newest part of the channel. */
interface SearchedPart {
  readonly channel: string;
  readonly threadTs: string | null;
}

/** Searches by notification id for a message that an earlier try may have posted without our knowing. */
export async function findOwnMessage(
  client: WebClient,
  where: SearchedPart & { readonly notificationId: string; readonly part?: MessagePart },
): Promise<OwnMessage | null> {
  const found = await findMessage(client, where, ({ metadata }) => {
    const payload: Record<string, unknown> = { ...metadata?.event_payload };
    const isOurs = metadata?.event_type === EVENT_TYPE && payload["notification_id"] === where.notificationId;
    return isOurs && (payload["part"] ?? "message") === (where.part ?? "message");
  });
  if (found === null) return null;
  const payload: Record<string, unknown> = { ...found.metadata?.event_payload };
  const also = payload["also_covers"];
  return { ts: found.ts, alsoCovers: typeof also === "string" ? also.split(" ") : [] };
}

/** If the app may not read, or the thread is deleted: better to send twice than not at all. */
export async function orNull<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (slackErrorCode(error) === null) throw error;
    return null;
  }
}

export interface OwnMessage {
  readonly ts: string;
  /** Other notifications whose news the message brings. */
  readonly alsoCovers: readonly string[];
}

/** Whether our file was shared there, by the id that Slack gave it before: sharing takes no metadata. */
export async function isFileShared(client: WebClient, where: SearchedPart, fileId: string): Promise<boolean> {
  const found = await findMessage(
    client,
    where,
    ({ files }) => files?.some(({ id }) => id === fileId) === true,
  );
  return found !== null;
}

/** What we post: the message of a notification, the details in its thread, and a comment there, by the id of the comment. */
export type MessagePart = "message" | "details" | "comment";

/**
 * Marks our messages; the payload holds `notification_id`, `part` if it is not the message itself, and `also_covers`
 * with the ids of other notifications whose news it brings.
 */
export const EVENT_TYPE = "earshot_notification";

/** 600 messages. A channel with more than that between two tries may get the message twice. */
const MAX_PAGES = 3;

interface Message {
  readonly ts?: string;
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: object };
  readonly files?: readonly { readonly id?: string }[];
}

async function findMessage(
  client: WebClient,
  { channel, threadTs }: SearchedPart,
  isWanted: (message: Message) => boolean,
): Promise<(Message & { readonly ts: string }) | null> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const options = { channel, limit: 200, include_all_metadata: true, ...(cursor && { cursor }) };
    const answer =
      threadTs === null
        ? await client.conversations.history(options)
        : await client.conversations.replies({ ...options, ts: threadTs });
    const messages: readonly Message[] = answer.messages ?? [];
    const found = messages.find(isWanted);
    if (found?.ts !== undefined) return { ...found, ts: found.ts };
    cursor = answer.response_metadata?.next_cursor || undefined;
    if (cursor === undefined) return null;
  }
  return null;
}
