import type { ChannelLimit } from "../define-notifier.ts";

/** The rows that say what a place takes at this moment. */
export interface ChannelLimits {
  /** Null: it takes nothing now. `failures`: in a row before this. */
  take(channel: ChannelLimit): Promise<{ readonly failures: number } | null>;
  giveBack(key: string): Promise<void>;
  /** Takes nothing for so long, for everybody who leads there. */
  close(key: string, forMs: number, reason: string): Promise<void>;
  reopen(key: string): Promise<void>;
}

/** A place in line that was taken, until it is known what became of it. */
export interface AcquiredSlot {
  /** Nothing was sent. */
  giveBack(): Promise<void>;
  worked(): Promise<void>;
  /** The place itself is in trouble: everybody waits as long as it asks, else 1 s, 2 s, 4 s … up to a minute. */
  failed(reason: string, retryAfterMs: number | null): Promise<number>;
}

/** The next place in line, or null where there is none now. */
export async function acquireSlot(
  channelLimits: ChannelLimits,
  channel: ChannelLimit,
): Promise<AcquiredSlot | null> {
  const taken = await channelLimits.take(channel);
  if (taken === null) return null;
  return {
    giveBack: () => channelLimits.giveBack(channel.key),
    worked: async () => {
      if (taken.failures > 0) await channelLimits.reopen(channel.key);
    },
    failed: async (reason, retryAfterMs) => {
      const forMs = retryAfterMs ?? Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(taken.failures, 10));
      await channelLimits.close(channel.key, forMs, reason);
      return forMs;
    },
  };
}

/** Where any number may go at once. */
export const ANYWHERE: AcquiredSlot = {
  giveBack: async () => {},
  worked: async () => {},
  failed: async () => 0,
};

const FIRST_MS = 1_000;
/** However long it was away, it is tried so often: what waits comes within a minute of its return. */
const LONGEST_MS = 60_000;
