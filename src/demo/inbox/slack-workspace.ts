import type { LocalInboxDeps, LocalInboxOptions } from "./local-inbox-options.ts";
import { createSlackChannels } from "./slack-channels.ts";
import { createSlackFiles } from "./slack-files.ts";
import { createSlackTimestamps } from "./slack-timestamps.ts";

/** The state of the local Slack: its messages, channels and files. `uploadUrl` is for a file. */
export function createSlackWorkspace(
  deps: LocalInboxDeps,
  options: LocalInboxOptions,
  uploadUrl: (id: string) => string,
) {
  const { store, clock } = deps;
  return {
    store,
    clock,
    channels: createSlackChannels(deps, options),
    files: createSlackFiles(deps, uploadUrl),
    /** The `ts` of the next message. */
    nextTs: createSlackTimestamps(deps),
  };
}

export type SlackWorkspace = ReturnType<typeof createSlackWorkspace>;
