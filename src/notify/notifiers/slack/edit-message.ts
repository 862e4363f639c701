import { describeError } from "../../../lib/errors.ts";
import type { SlackContent } from "./compose-slack.ts";
import { type Connection, secretsOf } from "./connect.ts";
import type { Thread } from "./post-message.ts";
import { slackErrorCode, toSlackDeliveryError } from "./slack-error.ts";

/**
 * `gone`: nothing is left to edit, because people deleted the message or Slack no longer allows edits. `refused`: Slack
 * does not accept these blocks.
 */
export type Edited = "edited" | "gone" | "refused";

/** Updates a message. Throws errors that a later try may fix. */
export async function editMessage(
  thread: Thread,
  { text, blocks }: SlackContent,
  { client }: Connection,
): Promise<Edited> {
  try {
    // Empty blocks instead of none: without the field a message would keep its old blocks.
    await client.chat.update({ ...thread, text, blocks, parse: "none", link_names: false });
    return "edited";
  } catch (error) {
    const code = slackErrorCode(error) ?? "";
    if (UNCHANGEABLE.has(code)) return "gone";
    if (REFUSED.has(code)) return "refused";
    throw error;
  }
}

/** The same for an edit that must not fail the delivery: an error is logged, and the next edit repeats it. */
export async function tryToEdit(
  thread: Thread,
  content: SlackContent,
  connection: Connection,
  notificationId: string,
): Promise<Edited> {
  const noted = (reason: string) =>
    connection.log.warn({ notificationId, reason }, "slack: first message not edited");
  try {
    const edited = await editMessage(thread, content, connection);
    if (edited !== "edited") noted(edited);
    return edited;
  } catch (error) {
    noted(describeError(toSlackDeliveryError(error, secretsOf(connection.config))));
    return "refused";
  }
}

const UNCHANGEABLE = new Set(["message_not_found", "cant_update_message", "edit_window_closed"]);
const REFUSED = new Set(["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"]);
