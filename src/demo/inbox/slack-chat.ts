import { readSlackContent } from "./read-slack-content.ts";
import { filesInBlocks } from "./slack-limits.ts";
import type { SlackMethod } from "./slack-method.ts";
import type { SlackWorkspace } from "./slack-workspace.ts";
import { toSlackWire } from "./to-slack-wire.ts";

/** The methods `chat.…`: messages are posted, edited and deleted. */
export function createSlackChat({ store, clock, channels, files, post }: SlackWorkspace) {
  const postMessage: SlackMethod = async (fields) => {
    const channel = await channels.resolve(fields["channel"]);
    if (channel === null) return { ok: false, error: "channel_not_found" };
    const content = readSlackContent(fields);
    if ("error" in content) return { ok: false, error: content.error };
    if (!(await files.areKnown(filesInBlocks(content.blocks)))) return { ok: false, error: "invalid_blocks" };
    const threadTs = fields["thread_ts"] ?? null;
    if (threadTs !== null && (await store.find(`${channel.id}:${threadTs}`)) === null) {
      return { ok: false, error: "thread_not_found" };
    }
    const message = await post(channel, {
      ...content,
      threadTs,
      broadcast: fields["reply_broadcast"] === "true",
    });
    return { ok: true, channel: channel.id, ts: message.ts, message: toSlackWire(message, true) };
  };

  /** The message that `channel` and `ts` name. */
  const findMessage = async (fields: Parameters<SlackMethod>[0]) => {
    const channel = await channels.resolve(fields["channel"]);
    if (channel === null) return { error: "channel_not_found" };
    const found = await store.find(`${channel.id}:${fields["ts"] ?? ""}`);
    return found?.kind === "slack" ? { found } : { error: "message_not_found" };
  };

  const update: SlackMethod = async (fields) => {
    const named = await findMessage(fields);
    if ("error" in named) return { ok: false, error: named.error };
    const { found } = named;
    const content = readSlackContent(fields);
    if ("error" in content) return { ok: false, error: content.error };
    if (!(await files.areKnown(filesInBlocks(content.blocks)))) return { ok: false, error: "invalid_blocks" };
    const metadata = content.metadata ?? found.metadata;
    await store.update({ ...found, ...content, metadata, editedAt: clock.now() });
    return { ok: true, channel: found.channel, ts: found.ts, text: content.text };
  };

  const remove: SlackMethod = async (fields) => {
    const named = await findMessage(fields);
    if ("error" in named) return { ok: false, error: named.error };
    const { found } = named;
    await store.remove(found.id);
    return { ok: true, channel: found.channel, ts: found.ts };
  };

  return { post: postMessage, update, remove };
}
