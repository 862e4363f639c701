import type { LocalInboxDeps, LocalInboxOptions } from "./inbox-store.ts";
import { createSlackChat } from "./slack-chat.ts";
import { createSlackConversations, shareSlackFiles } from "./slack-conversations.ts";
import { createSlackWorkspace, type SlackMethod, type SlackWorkspace } from "./slack-workspace.ts";

export interface SlackMethods {
  readonly methods: ReadonlyMap<string, SlackMethod>;
  /** Accepts the bytes for an address from `files.getUploadURLExternal`; false for any other. */
  upload(id: string, bytes: Uint8Array): boolean;
  readonly post: SlackWorkspace["post"];
}

/** Method name → what it does with the fields of a call. Refusals are Slack's own codes. `uploadUrl` is for a file. */
export function createSlackMethods(
  deps: LocalInboxDeps,
  options: LocalInboxOptions,
  uploadUrl: (id: string) => string,
): SlackMethods {
  const workspace = createSlackWorkspace(deps, options, uploadUrl);
  const { files, post } = workspace;
  const chat = createSlackChat(workspace);
  const conversations = createSlackConversations(workspace);
  const methods = new Map<string, SlackMethod>([
    ["auth.test", async () => APP],
    ["apps.connections.open", async () => ({ ok: true, url: options.sockets?.url() ?? "" })],
    ["chat.postMessage", chat.post],
    ["chat.update", chat.update],
    ["chat.delete", chat.remove],
    ["conversations.history", conversations.history],
    ["conversations.replies", conversations.replies],
    ["conversations.list", conversations.list],
    ["conversations.join", conversations.join],
    ["files.getUploadURLExternal", files.getUploadUrl],
    ["files.completeUploadExternal", shareSlackFiles(workspace)],
    ["users.info", findUser(options.users)],
  ]);
  return { methods, upload: files.upload, post };
}

const APP = {
  ok: true,
  url: "http://localhost/",
  team: "Local",
  user: "earshot",
  bot_id: "B0EARSHOT",
} as const;

function findUser(users: LocalInboxOptions["users"]): SlackMethod {
  return async (fields) => {
    const id = fields["user"] ?? "";
    const name = users === undefined ? `Person ${id}` : users[id];
    if (name === undefined) return { ok: false, error: "user_not_found" };
    return {
      ok: true,
      user: { id, name, real_name: name, profile: { display_name: name, real_name: name } },
    };
  };
}
