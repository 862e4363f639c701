import type { WebClient } from "@slack/web-api";

/**
 * Looks for a message that an earlier try may have posted without our learning of it, by the notification id in its
 * metadata. Reads the thread it belongs to, else the newest part of the channel. Returns its `ts`, or null.
 */
export async function findOwnMessage(
  client: WebClient,
  where: { channel: string; threadTs: string | null; notificationId: string; part?: MessagePart },
): Promise<string | null> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const options = {
      channel: where.channel,
      limit: 200,
      include_all_metadata: true,
      ...(cursor && { cursor }),
    };
    const answer =
      where.threadTs === null
        ? await client.conversations.history(options)
        : await client.conversations.replies({ ...options, ts: where.threadTs });
    const own = answer.messages?.find(({ metadata }) => {
      const payload: Record<string, unknown> = { ...metadata?.event_payload };
      const isOurs =
        metadata?.event_type === EVENT_TYPE && payload["notification_id"] === where.notificationId;
      return isOurs && (payload["part"] ?? "message") === (where.part ?? "message");
    });
    if (own?.ts !== undefined) return own.ts;
    cursor = answer.response_metadata?.next_cursor || undefined;
    if (cursor === undefined) return null;
  }
  return null;
}

/** What one notification may have posted: the message itself, and what is told in its thread at length. */
export type MessagePart = "message" | "details";

/** Our mark on messages; the payload holds `notification_id`, and `part` where it is not the message itself. */
export const EVENT_TYPE = "earshot_notification";

/** 600 messages: in a channel that is busier than that between two tries, one more message does no harm. */
const MAX_PAGES = 3;
