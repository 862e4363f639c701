import { describeActor } from "../../../model/alert-action.ts";
import type { IncidentNote } from "../../../model/incident-work.ts";
import { escapeValue } from "../../../templates/escape.ts";
import type { UpdateOptions, VendorRef } from "../../define-notifier.ts";
import type { Connection } from "./connect.ts";
import { findOwnMessage, orNull } from "./find-own-message.ts";
import { postMessage, type Thread } from "./post-message.ts";

/**
 * Posts what people wrote about an incident into the thread of its message, in order, and each once: `commented` of the
 * message is the last one. What was written before the message was there is not repeated, nor what came from this
 * thread. False: the channel has no free slot now.
 */
export async function postComments(
  comments: readonly IncidentNote[],
  thread: Thread,
  { notificationId, attempt }: { readonly notificationId: string; readonly attempt: number },
  { ref, keep }: { readonly ref: () => VendorRef; readonly keep: (next: VendorRef) => Promise<void> },
  { mayPost, beforePost }: Pick<UpdateOptions, "mayPost" | "beforePost">,
  connection: Connection,
): Promise<boolean> {
  const here = `${thread.channel} ${thread.ts} `;
  // Ids order by time, and that of the notification is of when it was made.
  const last = ref()["commented"] ?? notificationId;
  let isRepeated = attempt > 1;
  for (const comment of comments) {
    if (comment.id <= last || comment.origin?.startsWith(here) === true) continue;
    const part = { notificationId: comment.id, part: "comment" as const };
    const where = { channel: thread.channel, threadTs: thread.ts, ...part };
    // Only the first one may have been posted by a try that ended before it was noted.
    const isThere = isRepeated && (await orNull(() => findOwnMessage(connection.client, where))) !== null;
    isRepeated = false;
    if (!isThere) {
      if (!(await mayPost())) return false;
      const content = { text: textOf(comment), blocks: [] };
      await postMessage({ ...part, content, thread, broadcast: false, beforePost }, connection);
    }
    await keep({ ...ref(), commented: comment.id });
  }
  return true;
}

/** Line by line: what somebody writes cannot look like a message of ours, mention a channel, or hide a link. */
function textOf({ text, actor }: IncidentNote): string {
  const lines = text.split("\n").map((line) => `> ${escapeValue(line, "mrkdwn")}`);
  return [`*${escapeValue(describeActor(actor), "mrkdwn")}* wrote in Earshot:`, ...lines].join("\n");
}
