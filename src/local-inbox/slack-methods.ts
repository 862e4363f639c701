import { createHash } from "node:crypto";
import { type Instant, SECOND } from "../lib/instant.ts";
import type { InboxMessage, SlackInboxMessage } from "./inbox-store.ts";
import type { LocalInboxDeps, LocalInboxOptions } from "./local-inbox-options.ts";
import { createSlackFiles } from "./slack-files.ts";
import { faultOfMessage, filesInBlocks } from "./slack-limits.ts";
import type { SlackMethod } from "./slack-method.ts";
import { storable, storableText } from "./storable.ts";

export interface SlackMethods {
  readonly methods: ReadonlyMap<string, SlackMethod>;
  /** Takes the bytes for an address that `files.getUploadURLExternal` gave; false for any other. */
  upload(id: string, bytes: Uint8Array): boolean;
  /** The name of the next message. */
  nextTs(): Promise<string>;
}

/** Method name → what it does with the fields of a call. Refusals are Slack's own codes. `uploadUrl` is for a file. */
export function createSlackMethods(
  deps: LocalInboxDeps,
  options: LocalInboxOptions,
  uploadUrl: (id: string) => string,
): SlackMethods {
  const { store, clock } = deps;
  const files = createSlackFiles(deps, uploadUrl);
  const channels = createChannels(deps, options);
  const nextTs = createTimestamps(deps);

  const post: SlackMethod = async (fields) => {
    const channel = await channels.resolve(fields["channel"]);
    if (channel === null) return { ok: false, error: "channel_not_found" };
    const content = parseContent(fields);
    if ("error" in content) return { ok: false, error: content.error };
    if (!(await files.areKnown(filesInBlocks(content.blocks)))) return { ok: false, error: "invalid_blocks" };
    const threadTs = fields["thread_ts"] ?? null;
    if (threadTs !== null && (await store.find(`${channel.id}:${threadTs}`)) === null) {
      return { ok: false, error: "thread_not_found" };
    }
    const ts = await nextTs();
    const message: SlackInboxMessage = {
      kind: "slack",
      id: `${channel.id}:${ts}`,
      receivedAt: clock.now(),
      channel: channel.id,
      channelName: channel.name,
      ts,
      threadTs,
      broadcast: fields["reply_broadcast"] === "true",
      ...content,
      editedAt: null,
    };
    await store.append(message);
    return { ok: true, channel: channel.id, ts, message: toWire(message, true) };
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
    const content = parseContent(fields);
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

  /** A file is shared as a message of its own. */
  const share: SlackMethod = async (fields) => {
    const wanted = fields["channel_id"];
    if (wanted !== undefined && !/^[CGDZ][A-Z0-9]{8,}$/.test(wanted))
      return { ok: false, error: "invalid_channel" };
    const channel = wanted === undefined ? null : await channels.resolve(wanted);
    if (wanted !== undefined && channel === null) return { ok: false, error: "channel_not_found" };
    const threadTs = fields["thread_ts"] ?? null;
    const completed = await files.complete(fields["files"] ?? "");
    if ("error" in completed) return { ok: false, error: completed.error };
    if (channel !== null) {
      const ts = await nextTs();
      await store.append({
        kind: "slack",
        id: `${channel.id}:${ts}`,
        receivedAt: clock.now(),
        channel: channel.id,
        channelName: channel.name,
        ts,
        threadTs,
        broadcast: false,
        text: storableText(fields["initial_comment"] ?? ""),
        blocks: [],
        metadata: null,
        editedAt: null,
        files: completed.files,
      });
    }
    return { ok: true, files: completed.files };
  };

  const user: SlackMethod = async (fields) => {
    const id = fields["user"] ?? "";
    const name = options.users === undefined ? `Person ${id}` : options.users[id];
    if (name === undefined) return { ok: false, error: "user_not_found" };
    return {
      ok: true,
      user: { id, name, real_name: name, profile: { display_name: name, real_name: name } },
    };
  };

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
        messages: visible.filter((one) => one?.kind === "slack").map((one) => toWire(one, withMetadata)),
        has_more: hasMore,
        response_metadata: { next_cursor: hasMore ? Buffer.from(last.id).toString("base64url") : "" },
      };
    };
  };

  const methods = new Map<string, SlackMethod>([
    [
      "auth.test",
      async () => ({
        ok: true,
        url: "http://localhost/",
        team: "Local",
        user: "earshot",
        bot_id: "B0EARSHOT",
      }),
    ],
    ["chat.postMessage", post],
    ["chat.update", update],
    ["chat.delete", remove],
    ["files.getUploadURLExternal", files.getUploadUrl],
    ["files.completeUploadExternal", share],
    ["users.info", user],
    ["apps.connections.open", async () => ({ ok: true, url: options.sockets?.url() ?? "" })],
    ["conversations.history", read(false)],
    ["conversations.replies", read(true)],
    [
      "conversations.list",
      async () => ({ ok: true, channels: channels.list(), response_metadata: { next_cursor: "" } }),
    ],
    [
      "conversations.join",
      async (fields) => {
        const channel = await channels.resolve(fields["channel"]);
        return channel === null ? { ok: false, error: "channel_not_found" } : { ok: true, channel };
      },
    ],
  ]);
  return { methods, upload: files.upload, nextTs };
}

interface Channel {
  readonly id: string;
  readonly name: string;
}

/** Ids are made from names, so that they are the same after a restart. */
function createChannels({ store }: LocalInboxDeps, options: LocalInboxOptions) {
  const known = new Map<string, Channel>();
  const learn = (name: string): Channel => {
    const hash = createHash("sha256").update(name).digest("hex").slice(0, 9).toUpperCase();
    const channel = { id: `C0${hash}`, name };
    known.set(channel.id, channel);
    return channel;
  };
  for (const name of options.channels ?? []) learn(name.replace(/^#/, ""));
  return {
    list: () => [...known.values()].map((channel) => ({ ...channel, is_channel: true, is_archived: false })),
    /** By id or by name; null where there is no such channel. */
    resolve: async (wanted: string | undefined): Promise<Channel | null> => {
      if (!wanted) return null;
      const byId = known.get(wanted);
      if (byId !== undefined) return byId;
      if (/^C0[0-9A-F]{9}$/.test(wanted)) {
        const [message] = await store.list({ kind: "slack", channel: wanted, limit: 1 });
        return message?.kind === "slack" ? learn(message.channelName) : null;
      }
      const name = storableText(wanted.replace(/^#/, "")).slice(0, 80);
      const byName = [...known.values()].find((channel) => channel.name === name);
      return byName ?? (options.channels === undefined ? learn(name) : null);
    },
  };
}

/** Strictly rising, also where the clock stands still, and from where an earlier run stopped. */
function createTimestamps({ store, clock }: LocalInboxDeps): () => Promise<string> {
  let last: bigint | null = null;
  let started: Promise<bigint> | null = null;
  return async () => {
    started ??= newest(store);
    const before = await started;
    // Read after the wait: two that came at once must not both begin from the same moment.
    last ??= before;
    const now = BigInt(clock.now()) * 1000n;
    last = now > last ? now : last + 1n;
    return `${last / 1_000_000n}.${String(last % 1_000_000n).padStart(6, "0")}`;
  };
}

async function newest(store: LocalInboxDeps["store"]): Promise<bigint> {
  const [message] = await store.list({ kind: "slack", limit: 1 });
  return message?.kind === "slack" ? BigInt(message.ts.replace(".", "")) : 0n;
}

type Content = Pick<SlackInboxMessage, "text" | "blocks" | "metadata">;

function parseContent(fields: Readonly<Record<string, string>>): Content | { error: string } {
  const text = storableText(fields["text"] ?? "").slice(0, 40_000);
  const blocks = parseJson(fields["blocks"] ?? "[]");
  if (!Array.isArray(blocks)) return { error: "invalid_blocks_format" };
  const fault = faultOfMessage(text, blocks);
  if (fault !== null) return { error: fault };
  const metadata = parseMetadata(fields["metadata"]);
  if (metadata === undefined) return { error: "invalid_metadata_format" };
  return { text, blocks: blocks.map(storable), metadata };
}

function parseMetadata(json: string | undefined): Content["metadata"] | undefined {
  if (json === undefined) return null;
  const parsed = storable(parseJson(json));
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const { event_type: eventType, event_payload: payload } = {
    event_type: null,
    event_payload: null,
    ...parsed,
  };
  if (typeof eventType !== "string" || typeof payload !== "object" || payload === null) return undefined;
  return { eventType, payload: { ...(payload as Record<string, unknown>) } };
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** A channel shows its own messages and the replies that were sent to it, too. */
function isInChannel(message: InboxMessage): boolean {
  return message.kind === "slack" && (message.threadTs === null || message.broadcast);
}

function toWire(message: SlackInboxMessage, withMetadata: boolean): Record<string, unknown> {
  return {
    type: "message",
    bot_id: "B0EARSHOT",
    ts: message.ts,
    text: message.text,
    blocks: message.blocks,
    ...(message.threadTs !== null && { thread_ts: message.threadTs }),
    ...(message.broadcast && { subtype: "thread_broadcast" }),
    ...(message.files !== undefined && { files: message.files }),
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
