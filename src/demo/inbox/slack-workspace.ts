import type { SlackInboxMessage } from "./inbox-store.ts";
import type { LocalInboxDeps, LocalInboxOptions } from "./local-inbox-options.ts";
import { createSlackChannels } from "./slack-channels.ts";
import { createSlackFiles } from "./slack-files.ts";
import { createSlackTimestamps } from "./slack-timestamps.ts";

/** What the sender of a message decides. */
type Posted = Pick<
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
    post: async (channel: { id: string; name: string }, content: Posted): Promise<SlackInboxMessage> => {
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
