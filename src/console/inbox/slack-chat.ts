import { readJson } from "../../lib/json.ts";
import { storableText } from "../../lib/text.ts";
import type { SlackInboxMessage } from "./inbox-store.ts";
import { toSlackWire } from "./slack-conversations.ts";
import { faultOfMessage, filesInBlocks } from "./slack-limits.ts";
import type { SlackMethod, SlackWorkspace } from "./slack-workspace.ts";

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

type Content = Pick<SlackInboxMessage, "text" | "blocks" | "metadata">;

/** The content of a message in a call, or Slack's error code if Slack would refuse it. */
function readSlackContent(fields: Readonly<Record<string, string>>): Content | { error: string } {
  const text = storableText(fields["text"] ?? "").slice(0, 40_000);
  const blocks = readJson(fields["blocks"] ?? "[]");
  if (!Array.isArray(blocks)) return { error: "invalid_blocks_format" };
  const fault = faultOfMessage(text, blocks);
  if (fault !== null) return { error: fault };
  const metadata = parseMetadata(fields["metadata"]);
  if (metadata === undefined) return { error: "invalid_metadata_format" };
  return { text, blocks: blocks.map(storable), metadata };
}

function parseMetadata(json: string | undefined): Content["metadata"] | undefined {
  if (json === undefined) return null;
  const parsed = storable(readJson(json));
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const { event_type: eventType, event_payload: payload } = {
    event_type: null,
    event_payload: null,
    ...parsed,
  };
  if (typeof eventType !== "string" || typeof payload !== "object" || payload === null) return undefined;
  return { eventType, payload: { ...(payload as Record<string, unknown>) } };
}

/** A copy without what a JSON column refuses: NUL characters and halves of characters. */
function storable(value: unknown): unknown {
  if (typeof value === "string") return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), storable(item)]));
}
