import { type Instant, SECOND } from "../../lib/instant.ts";
import { storableText } from "../../lib/text.ts";
import type { InboxMessage, SlackInboxMessage } from "./inbox-store.ts";
import type { SlackMethod, SlackWorkspace } from "./slack-workspace.ts";

/** A message as Slack's own methods return it. */
export function toSlackWire(message: SlackInboxMessage, withMetadata: boolean): Record<string, unknown> {
  return {
    type: "message",
    bot_id: "B0EARSHOT",
    ts: message.ts,
    text: message.text,
    blocks: message.blocks,
    ...(message.threadTs !== null && { thread_ts: message.threadTs }),
    ...(message.broadcast && { subtype: "thread_broadcast" }),
    files: message.files,
    ...(message.editedAt !== null && { edited: { ts: toTs(message.editedAt) } }),
    ...(withMetadata &&
      message.metadata !== null && {
        metadata: { event_type: message.metadata.eventType, event_payload: message.metadata.payload },
      }),
  };
}

function toTs(at: Instant): string {
  return `${Math.floor(at / SECOND)}.${String(at % SECOND).padStart(3, "0")}000`;
}

/** The methods `conversations.…`: channels are listed, joined and read, as is a thread. */
export function createSlackConversations({ store, channels }: Pick<SlackWorkspace, "store" | "channels">) {
  const read = (isThread: boolean): SlackMethod => {
    return async (fields) => {
      const channel = await channels.resolve(fields["channel"]);
      if (channel === null) return { ok: false, error: "channel_not_found" };
      const parent = isThread ? await store.find(`${channel.id}:${fields["ts"] ?? ""}`) : null;
      if (isThread && parent?.kind !== "slack") return { ok: false, error: "thread_not_found" };
      const limit = Math.min(Math.max(Number(fields["limit"] ?? 100) || 100, 1), 999);
      const page = await store.list({
        kind: "slack",
        channel: channel.id,
        ...(parent?.kind === "slack" && { threadTs: parent.ts }),
        ...(fields["cursor"] && { before: Buffer.from(fields["cursor"], "base64url").toString() }),
        limit: limit + 1,
      });
      const shown = page.slice(0, limit);
      const last = shown.at(-1);
      const hasMore = page.length > limit && last !== undefined;
      const withMetadata = fields["include_all_metadata"] === "true";
      const readable = shown.filter((one) => one.kind === "slack" && one.ephemeral !== true);
      const visible = isThread ? [parent, ...readable.toReversed()] : readable.filter(isInChannel);
      return {
        ok: true,
        messages: visible.filter((one) => one?.kind === "slack").map((one) => toSlackWire(one, withMetadata)),
        has_more: hasMore,
        response_metadata: { next_cursor: hasMore ? Buffer.from(last.id).toString("base64url") : "" },
      };
    };
  };

  const list: SlackMethod = async () => ({
    ok: true,
    channels: channels.list(),
    response_metadata: { next_cursor: "" },
  });

  const join: SlackMethod = async (fields) => {
    const channel = await channels.resolve(fields["channel"]);
    return channel === null ? { ok: false, error: "channel_not_found" } : { ok: true, channel };
  };

  return { history: read(false), replies: read(true), list, join };
}

/** A channel shows its own messages and the replies that were also sent to it. */
function isInChannel(message: InboxMessage): boolean {
  return message.kind === "slack" && (message.threadTs === null || message.broadcast);
}

/** `files.completeUploadExternal`: shares an uploaded file as its own message. */
export function shareSlackFiles({ channels, files, post }: SlackWorkspace): SlackMethod {
  return async (fields) => {
    const channelId = fields["channel_id"];
    if (channelId !== undefined && !/^[CGDZ][A-Z0-9]{8,}$/.test(channelId))
      return { ok: false, error: "invalid_channel" };
    const channel = channelId === undefined ? null : await channels.resolve(channelId);
    if (channelId !== undefined && channel === null) return { ok: false, error: "channel_not_found" };
    const threadTs = fields["thread_ts"] ?? null;
    const completed = await files.complete(fields["files"] ?? "");
    if ("error" in completed) return { ok: false, error: completed.error };
    if (channel !== null) {
      await post(channel, {
        threadTs,
        broadcast: false,
        text: storableText(fields["initial_comment"] ?? ""),
        blocks: [],
        metadata: null,
        files: completed.files,
      });
    }
    return { ok: true, files: completed.files };
  };
}
