import { createHash } from "node:crypto";
import type { ChannelLimit } from "../../define-notifier.ts";
import type { SlackConfig } from "./slack-config.ts";

/** Slack bears about a message a second in a channel, and a few more at once after a rest. */
const BURST = 5;

/** `chat.update` may be called some fifty times a minute by an app, whatever the channel. */
const EDIT_EVERY_MS = 1_200;

/** The pace of messages, which Slack counts by channel. */
export function postLimit(config: SlackConfig): ChannelLimit {
  const channel = config.channel.replace(/^#/, "");
  return { key: `slack/${channel}/${appMark(config)}`, everyMs: config.postEvery, burst: BURST };
}

/** The pace of edits, which Slack counts by app. */
export function editLimit(config: SlackConfig): ChannelLimit {
  const everyMs = config.postEvery === 0 ? 0 : EDIT_EVERY_MS;
  return { key: `slack-edits/${appMark(config)}`, everyMs, burst: BURST };
}

/** Tells apps apart, also those of two workspaces that have a channel of one name; nothing can be learned from it. */
function appMark({ token, apiUrl }: SlackConfig): string {
  return createHash("sha256").update(`${apiUrl} ${token}`).digest("hex").slice(0, 8);
}
