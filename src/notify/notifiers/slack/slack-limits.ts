import { createHash } from "node:crypto";
import type { ChannelLimit } from "../../define-notifier.ts";
import type { SlackConfig } from "./slack-config.ts";

/** Slack allows about a message a second in a channel, and a few more at once after a pause. */
const BURST = 5;

/** An app may call `chat.update` about fifty times a minute, for all channels together. */
const EDIT_EVERY_MS = 1_200;

/** The rate limit of messages, which Slack counts by channel. */
export function postLimit(config: SlackConfig): ChannelLimit {
  const keyOf = (channel: string): string => `slack/${channel}/${appMark(config)}`;
  return {
    key: keyOf(config.channel.replace(/^#/, "")),
    // A channel may be configured by name here and by id there: Slack answers with the id.
    vendorKey: ({ channel }) => (channel === undefined ? undefined : keyOf(channel)),
    everyMs: config.postEvery,
    burst: BURST,
  };
}

/** The rate limit of edits, which Slack counts by app. */
export function editLimit(config: SlackConfig): ChannelLimit {
  const everyMs = config.postEvery === 0 ? 0 : EDIT_EVERY_MS;
  return { key: `slack-edits/${appMark(config)}`, everyMs, burst: BURST };
}

/** Distinguishes apps, for two workspaces may have a channel of the same name. A hash, so it reveals nothing. */
function appMark({ token, apiUrl }: SlackConfig): string {
  return createHash("sha256").update(`${apiUrl} ${token}`).digest("hex").slice(0, 8);
}
