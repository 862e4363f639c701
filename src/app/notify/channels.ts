import type { Notifier } from "../../notify/define-notifier.ts";

/** Which receivers lead to which place, and whose messages follow their alerts. */
export interface Channels {
  /** The receivers whose messages go by this lane. */
  receiversOf(lane: string): readonly string[];
  /** Those whose messages can be edited now, where these lanes are closed. */
  followers(closed: ReadonlySet<string>): readonly string[];
}

export function createChannels(
  notifiers: ReadonlyMap<string, Pick<Notifier, "lane" | "following">>,
): Channels {
  return {
    receiversOf: (lane) => [...notifiers].filter(([, one]) => one.lane?.key === lane).map(([name]) => name),
    followers: (closed) =>
      [...notifiers]
        .filter(([, { following }]) => following !== undefined && !closed.has(following.lane.key))
        .map(([name]) => name),
  };
}
