import type { Notifier } from "./define-notifier.ts";

/** Which receivers lead to which channel, and whose messages follow their alerts. */
export interface Channels {
  /** The receivers whose messages use this channel limit. */
  receiversOf(channel: string): readonly string[];
  /** Receivers whose messages can be edited now, with these channels closed. */
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
