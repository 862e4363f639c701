import type { Notifier } from "../notify/define-notifier.ts";

/** Which receivers lead to which place, and whose messages follow their alerts. */
export interface Channels {
  /** The receivers whose messages go by this lane. */
  receiversOf(channel: string): readonly string[];
  /** Those whose messages can be edited now, where these lanes are closed. */
  liveReceivers(closed: ReadonlySet<string>): readonly string[];
}

export function createChannels(
  notifiers: ReadonlyMap<string, Pick<Notifier, "channel" | "liveMessages">>,
): Channels {
  return {
    receiversOf: (channel) =>
      [...notifiers].filter(([, one]) => one.channel?.key === channel).map(([name]) => name),
    liveReceivers: (closed) =>
      [...notifiers]
        .filter(([, { liveMessages }]) => liveMessages !== undefined && !closed.has(liveMessages.channel.key))
        .map(([name]) => name),
  };
}
