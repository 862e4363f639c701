import { createHash } from "node:crypto";
import { storableText } from "../../lib/storable-text.ts";
import type { LocalInboxDeps, LocalInboxOptions } from "./local-inbox-options.ts";

interface Channel {
  readonly id: string;
  readonly name: string;
}

/** The channels of the local Slack. Ids are made from names, so that they are the same after a restart. */
export function createSlackChannels({ store }: LocalInboxDeps, options: LocalInboxOptions) {
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
