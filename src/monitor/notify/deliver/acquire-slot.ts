import type { ChannelLimit, VendorRef } from "../define-notifier.ts";

/** The stored state of rate-limited channels. */
export interface ChannelLimits {
  /** Null: no slot now. `failures`: failures in a row before this one. `keys`: see `keysOf`. */
  take(
    channel: ChannelLimit,
  ): Promise<{ readonly failures: number; readonly keys: readonly string[] } | null>;
  giveBack(key: string): Promise<void>;
  /** Closes the channel for `forMs`, for all its receivers. */
  close(key: string, forMs: number, reason: string): Promise<void>;
  reopen(key: string): Promise<void>;
  /** The vendor calls the channel of this key so: both have one limit from now on. */
  name(key: string, channel: string): Promise<void>;
  /** Every key that has the limit of this one, which is among them. */
  keysOf(key: string): Promise<readonly string[]>;
}

/** A slot that was taken, until the outcome of the message is known. */
export interface AcquiredSlot {
  /** Every key that has the limit of the channel. */
  readonly keys: readonly string[];
  /** Nothing was sent: the slot is free again. */
  giveBack(): Promise<void>;
  worked(sent?: VendorRef): Promise<void>;
  /** The channel itself has a problem: all wait as long as it asks, else 1 s, 2 s, 4 s … up to a minute. */
  failed(reason: string, retryAfterMs: number | null): Promise<number>;
}

/** Takes the next free slot; null if there is none now. */
export async function acquireSlot(
  channelLimits: ChannelLimits,
  channel: ChannelLimit,
): Promise<AcquiredSlot | null> {
  const taken = await channelLimits.take(channel);
  if (taken === null) return null;
  return {
    keys: taken.keys,
    giveBack: () => channelLimits.giveBack(channel.key),
    worked: async (sent) => {
      const vendorKey = sent === undefined ? undefined : channel.vendorKey?.(sent);
      if (vendorKey !== undefined && vendorKey !== channel.key)
        await channelLimits.name(channel.key, vendorKey);
      if (taken.failures > 0) await channelLimits.reopen(channel.key);
    },
    failed: async (reason, retryAfterMs) => {
      const forMs = retryAfterMs ?? Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(taken.failures, 10));
      await channelLimits.close(channel.key, forMs, reason);
      return forMs;
    },
  };
}

/** For receivers without a rate limit. */
export const ANYWHERE: AcquiredSlot = {
  keys: [],
  giveBack: async () => {},
  worked: async () => {},
  failed: async () => 0,
};

const FIRST_MS = 1_000;
/** The longest pause of a failing channel: waiting messages go out within a minute of its return. */
const LONGEST_MS = 60_000;
