import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import { readJson } from "../../lib/json.ts";
import { storableText } from "../../lib/text.ts";
import {
  type LocalInboxDeps,
  type LocalInboxOptions,
  type SlackInboxMessage,
  typeOfFile,
} from "./inbox-store.ts";

export type SlackAnswer = { ok: true; [field: string]: unknown } | { ok: false; error: string };

/** A method of Slack's Web API: what it does with the fields of a call. Refusals are Slack's own codes. */
export type SlackMethod = (fields: Readonly<Record<string, string>>) => Promise<SlackAnswer>;

/** What the sender of a message decides. */
type PostedMessage = Pick<
  SlackInboxMessage,
  "threadTs" | "broadcast" | "ephemeral" | "text" | "blocks" | "metadata" | "files"
>;

/** The state of the local Slack: its messages, channels and files. `uploadUrl` is for a file. */
export function createSlackWorkspace(
  deps: LocalInboxDeps,
  options: LocalInboxOptions,
  uploadUrl: (id: string) => string,
) {
  const { store, clock } = deps;
  const nextTs = createSlackTimestamps(deps);
  return {
    store,
    clock,
    channels: createSlackChannels(deps, options),
    files: createSlackFiles(deps, uploadUrl),
    /** Stores a new message of the channel. */
    post: async (
      channel: { id: string; name: string },
      content: PostedMessage,
    ): Promise<SlackInboxMessage> => {
      const ts = await nextTs();
      const message: SlackInboxMessage = {
        kind: "slack",
        id: `${channel.id}:${ts}`,
        receivedAt: clock.now(),
        channel: channel.id,
        channelName: channel.name,
        ts,
        ...content,
        editedAt: null,
      };
      await store.append(message);
      return message;
    },
  };
}

export type SlackWorkspace = ReturnType<typeof createSlackWorkspace>;

/** Timestamps as message ids: strictly rising, even if the clock stops, and after those of an earlier run. */
function createSlackTimestamps({ store, clock }: LocalInboxDeps): () => Promise<string> {
  let last: bigint | null = null;
  let started: Promise<bigint> | null = null;
  return async () => {
    started ??= newest(store);
    const before = await started;
    // Read after the wait: two simultaneous calls must not start from the same timestamp.
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

interface Channel {
  readonly id: string;
  readonly name: string;
}

/** The channels of the local Slack. Ids are made from names, so that they are the same after a restart. */
function createSlackChannels({ store }: LocalInboxDeps, options: LocalInboxOptions) {
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
    /** By id or by name; null if there is no such channel. */
    resolve: async (idOrName: string | undefined): Promise<Channel | null> => {
      if (!idOrName) return null;
      const byId = known.get(idOrName);
      if (byId !== undefined) return byId;
      if (/^C0[0-9A-F]{9}$/.test(idOrName)) {
        const [message] = await store.list({ kind: "slack", channel: idOrName, limit: 1 });
        return message?.kind === "slack" ? learn(message.channelName) : null;
      }
      const name = storableText(idOrName.replace(/^#/, "")).slice(0, 80);
      const byName = [...known.values()].find((channel) => channel.name === name);
      return byName ?? (options.channels === undefined ? learn(name) : null);
    },
  };
}

interface Upload {
  readonly name: string;
  readonly length: number;
  readonly bytes: Uint8Array | null;
}

/** Uploads to the local Slack: the app requests an address, sends the bytes, and completes the file. */
function createSlackFiles({ store, clock }: LocalInboxDeps, uploadUrl: (id: string) => string) {
  const uploads = new Map<string, Upload>();

  const getUploadUrl: SlackMethod = async (fields) => {
    const name = storableText(fields["filename"] ?? "").slice(0, 255);
    const length = Number(fields["length"]);
    if (name === "" || !Number.isInteger(length) || length < 1)
      return { ok: false, error: "invalid_arguments" };
    if (length > MOST_BYTES) return { ok: false, error: "file_too_large" };
    const id = `F0${randomBytes(5).toString("hex").toUpperCase()}`;
    uploads.set(id, { name, length, bytes: null });
    return { ok: true, upload_url: uploadUrl(id), file_id: id };
  };

  return {
    getUploadUrl,

    upload: (id: string, bytes: Uint8Array): boolean => {
      const upload = uploads.get(id);
      if (upload === undefined || upload.length !== bytes.length) return false;
      uploads.set(id, { ...upload, bytes });
      return true;
    },

    /** `json` as the call has it: `[{"id": "F…", "title": "…"}]`. Refusals are Slack's own codes. */
    complete: async (
      json: string,
    ): Promise<{ readonly files: { id: string; title: string }[] } | { readonly error: string }> => {
      const files = Wanted.safeParse(readJson(json));
      if (!files.success) return { error: "invalid_arguments" };
      for (const { id } of files.data) {
        const upload = uploads.get(id);
        if (upload === undefined) return { error: "file_not_found" };
        if (upload.bytes === null) return { error: "file_update_failed" };
        const { name, bytes } = upload;
        await store.putFile({ id, name, type: typeOfFile(bytes), receivedAt: clock.now(), bytes });
        uploads.delete(id);
      }
      return { files: files.data.map(({ id, title }) => ({ id, title: storableText(title ?? "") })) };
    },

    areKnown: async (ids: readonly string[]): Promise<boolean> => {
      for (const id of ids) if ((await store.findFile(id)) === null) return false;
      return true;
    },
  };
}

const MOST_BYTES = 2 * 1024 * 1024;
const Wanted = z.array(z.object({ id: z.string(), title: z.string().max(2000).optional() })).min(1);
