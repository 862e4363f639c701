import { describeError } from "../../../../lib/errors.ts";
import type { SendOptions, VendorRef } from "../../define-notifier.ts";
import type { SlackContent } from "./compose-slack.ts";
import { type Connection, secretsOf } from "./connect.ts";
import { EVENT_TYPE, type MessagePart } from "./find-own-message.ts";
import { slackErrorCode, toSlackDeliveryError, unreadableAnswer } from "./slack-error.ts";

/** The channel and time of a message in Slack. */
export interface Thread {
  readonly channel: string;
  readonly ts: string;
}

interface Post {
  readonly content: SlackContent;
  /** Identifies our own message after a crash. */
  readonly notificationId: string;
  readonly part: MessagePart;
  /** Null for a message of the channel. */
  readonly thread: Thread | null;
  /** Shown in the channel, too. */
  readonly broadcast: boolean;
  /** Other notifications whose news it brings. */
  readonly alsoCovers?: readonly string[] | undefined;
  readonly beforePost?: SendOptions["beforePost"];
}

export async function postMessage(post: Post, connection: Connection): Promise<VendorRef> {
  const { content, thread, notificationId, part, broadcast, alsoCovers = [] } = post;
  const { text, blocks } = content;
  const channel = thread?.channel ?? connection.config.channel;
  const payload = {
    notification_id: notificationId,
    ...(part === "message" ? {} : { part }),
    ...(alsoCovers.length === 0 ? {} : { also_covers: alsoCovers.slice(0, MOST_COVERED).join(" ") }),
  };
  const message = {
    channel,
    ...(blocks.length > 0 ? { text, blocks } : { text }),
    metadata: { event_type: EVENT_TYPE, event_payload: payload },
    mrkdwn: blocks.length === 0,
    parse: "none" as const,
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  };
  await post.beforePost?.();
  try {
    const answer = await connection.client.chat.postMessage(
      thread === null ? message : { ...message, thread_ts: thread.ts, reply_broadcast: broadcast },
    );
    // Without its `ts` a message could never be edited; the next try searches for it.
    if (answer.ts === undefined) throw unreadableAnswer();
    const vendorRef = { channel: answer.channel ?? channel, ts: answer.ts };
    return thread === null ? vendorRef : { ...vendorRef, inThread: thread.ts };
  } catch (error) {
    const code = slackErrorCode(error) ?? "";
    // A reply to a deleted thread goes to the channel; blocks that Slack refuses are sent as plain text. Both faults
    // would be the same on every later try.
    if (thread !== null && part === "message" && GONE.has(code))
      return postMessage({ ...post, thread: null, broadcast: false }, connection);
    if (blocks.length > 0 && BAD_LAYOUT.has(code))
      return postMessage({ ...post, content: { text, blocks: [] } }, connection);
    throw error;
  }
}

/** Slack limits the metadata; a notification left out is sent once more after a crash, at worst. */
const MOST_COVERED = 50;

const GONE = new Set(["thread_not_found", "message_not_found", "cannot_reply_to_message"]);

/** Slack refuses these blocks, but accepts the text alone. */
const BAD_LAYOUT = new Set([
  "invalid_blocks",
  "invalid_blocks_format",
  "msg_blocks_too_long",
  "msg_too_long",
]);

/**
 * `Gone`: nothing is left to edit, because people deleted the message. `Locked`: it stands there, and Slack no longer lets
 * anybody edit it. `Refused`: Slack does not accept these blocks.
 */
export type EditResult = "Edited" | "Gone" | "Locked" | "Refused";

/** Updates a message. Throws errors that a later try may fix. */
export async function editMessage(
  thread: Thread,
  { text, blocks }: SlackContent,
  { client }: Connection,
): Promise<EditResult> {
  try {
    // Empty blocks instead of none: without the field a message would keep its old blocks.
    await client.chat.update({ ...thread, text, blocks, parse: "none", link_names: false });
    return "Edited";
  } catch (error) {
    const code = slackErrorCode(error) ?? "";
    if (code === "message_not_found") return "Gone";
    if (LOCKED.has(code)) return "Locked";
    if (REFUSED.has(code)) return "Refused";
    throw error;
  }
}

/** The same for an edit that must not fail the delivery: an error is logged, and the next edit repeats it. */
export async function tryToEdit(
  thread: Thread,
  content: SlackContent,
  connection: Connection,
  notificationId: string,
): Promise<EditResult> {
  const noted = (reason: string) =>
    connection.log.warn({ notificationId, reason }, "slack: first message not edited");
  try {
    const edited = await editMessage(thread, content, connection);
    if (edited !== "Edited") noted(edited);
    return edited;
  } catch (error) {
    noted(describeError(toSlackDeliveryError(error, secretsOf(connection.config))));
    return "Refused";
  }
}

const LOCKED = new Set(["cant_update_message", "edit_window_closed"]);
const REFUSED = new Set(["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"]);
