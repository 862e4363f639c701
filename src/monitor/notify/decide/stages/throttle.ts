import { formatDuration } from "../../../../lib/duration.ts";
import { type Instant, MINUTE } from "../../../../lib/instant.ts";
import { CLOCK_AHEAD_MS } from "../../../model/poll.ts";
import type { Batch, HeldCandidate, Outgoing } from "../batch.ts";
import { bundle, inOrderOfWorth } from "../bundle.ts";
import { breaksThrough, type Throttle } from "../throttle.ts";

/**
 * Keeps to the receiver's throttle, the most severe and oldest first. The last free slot takes all that is left in one
 * message ("and 14 more"); without a free slot, all wait for the next one together. Nothing is dropped.
 *
 * Alerts that break through take the first slots. Without a free slot they are sent all the same, at once, in one
 * message. In a storm even that would be a message for every page that is read, so within a minute they get at most
 * `atMost` messages; more of them wait until that minute ends.
 */
export function throttle(batch: Batch): Batch {
  const limits = batch.receiver.throttle;
  if (limits === null) return batch;
  const { now } = batch;
  const taken = within(batch.receiver.recent, limits.perMs, now);
  const inOrder = inOrderOfWorth(batch.send);
  const through = inOrder.filter((outgoing) => breaksThrough(limits, outgoing.candidate.alert.severity));
  const others = inOrder.filter((outgoing) => !breaksThrough(limits, outgoing.candidate.alert.severity));

  const breakThrough = admitBreakThrough(
    through,
    limits,
    { taken, breakThrough: batch.receiver.recentBreakThrough ?? [] },
    now,
  );
  const takenThen = [...taken, ...breakThrough.send.map(() => now)];
  const rest = admit(
    others,
    limits.atMost - takenThen.length,
    slotFreeAt(takenThen, limits.atMost, limits.perMs, now),
  );
  const by = `throttle, ${limits.atMost} in ${formatDuration(limits.perMs)}`;
  const held = [...breakThrough.wait, ...rest.wait].flatMap(({ outgoing, until }) =>
    [outgoing, ...(outgoing.also ?? [])].map(
      ({ candidate }): HeldCandidate => ({ candidate, reason: "HeldByThrottle", by, until }),
    ),
  );
  return { ...batch, send: [...breakThrough.send, ...rest.send], held: [...batch.held, ...held] };
}

interface Admission {
  readonly send: readonly Outgoing[];
  readonly wait: readonly { readonly outgoing: Outgoing; readonly until: Instant }[];
}

function admitBreakThrough(
  outgoing: readonly Outgoing[],
  { atMost, perMs }: Throttle,
  recent: { readonly taken: readonly Instant[]; readonly breakThrough: readonly Instant[] },
  now: Instant,
): Admission {
  const free = atMost - recent.taken.length;
  if (free > 0) return admit(outgoing, free, now);
  const minute = Math.min(MINUTE, perMs);
  const lately = within(recent.breakThrough, minute, now);
  // One message beyond the limit, unless all `atMost` went out within the minute.
  return admit(outgoing, lately.length < atMost ? 1 : 0, slotFreeAt(lately, atMost, minute, now));
}

/** At most `slots` messages; the last one bundles all that is left. */
function admit(outgoing: readonly Outgoing[], slots: number, until: Instant): Admission {
  if (outgoing.length <= Math.max(slots, 0)) return { send: outgoing, wait: [] };
  if (slots <= 0) return { send: [], wait: outgoing.map((outgoing) => ({ outgoing, until })) };
  return { send: [...outgoing.slice(0, slots - 1), bundle(outgoing.slice(slots - 1))], wait: [] };
}

/** Those of the last `perMs`, the oldest first. What a clock wrote that was ahead, and was set back, holds nothing up. */
function within(moments: readonly Instant[], perMs: number, now: Instant): Instant[] {
  return moments.filter((at) => at > now - perMs && at <= now + CLOCK_AHEAD_MS).sort((a, b) => a - b);
}

function slotFreeAt(taken: readonly Instant[], atMost: number, perMs: number, now: Instant): Instant {
  return (taken[taken.length - atMost] ?? now) + perMs;
}
