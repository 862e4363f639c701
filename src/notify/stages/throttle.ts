import { formatDuration } from "../../lib/duration.ts";
import { type Instant, MINUTE } from "../../lib/instant.ts";
import type { Batch, Held, Outgoing } from "../batch.ts";
import { bundle, inOrderOfWorth } from "../bundle.ts";
import { breaksThrough, type Throttle } from "../throttle.ts";

/**
 * Keeps to the receiver's share of a time, the gravest and oldest first in line. The last free place takes all that is
 * left in one message ("and 14 more"); where none is free, all waits for the next one together. Nothing is dropped.
 *
 * What breaks through has the first places, and where none is free it is told all the same, at once, in one message. In
 * a storm even that would be a message for every page that is read, so within a minute what breaks through has no more than the
 * share of the whole time; what comes on top waits for that minute to end.
 */
export function throttle(batch: Batch): Batch {
  const limits = batch.receiver.throttle;
  if (limits === null) return batch;
  const { now } = batch;
  const taken = batch.receiver.recent.filter((at) => at > now - limits.perMs).sort((a, b) => a - b);
  const inLine = inOrderOfWorth(batch.say);
  const through = inLine.filter((saying) => breaksThrough(limits, saying.matter.alert.severity));
  const others = inLine.filter((saying) => !breaksThrough(limits, saying.matter.alert.severity));

  const grave = admitBreakThrough(through, limits, { taken, grave: batch.receiver.recentGrave ?? [] }, now);
  const takenThen = [...taken, ...grave.say.map(() => now)];
  const rest = admit(
    others,
    limits.atMost - takenThen.length,
    slotFreeAt(takenThen, limits.atMost, limits.perMs, now),
  );
  const by = `throttle, ${limits.atMost} in ${formatDuration(limits.perMs)}`;
  const held = [...grave.wait, ...rest.wait].flatMap(({ saying, until }) =>
    [saying, ...(saying.also ?? [])].map(
      ({ matter }): Held => ({ matter, reason: "HeldByThrottle", by, until }),
    ),
  );
  return { ...batch, say: [...grave.say, ...rest.say], held: [...batch.held, ...held] };
}

interface Admitted {
  readonly say: readonly Outgoing[];
  readonly wait: readonly { readonly saying: Outgoing; readonly until: Instant }[];
}

function admitBreakThrough(
  sayings: readonly Outgoing[],
  { atMost, perMs }: Throttle,
  recent: { readonly taken: readonly Instant[]; readonly grave: readonly Instant[] },
  now: Instant,
): Admitted {
  const free = atMost - recent.taken.length;
  if (free > 0) return admit(sayings, free, now);
  const minute = Math.min(MINUTE, perMs);
  const lately = recent.grave.filter((at) => at > now - minute).sort((a, b) => a - b);
  // One message beyond the share, unless the whole share went out within the minute.
  return admit(sayings, lately.length < atMost ? 1 : 0, slotFreeAt(lately, atMost, minute, now));
}

/** So many messages for these; the last of them takes all that is left. */
function admit(sayings: readonly Outgoing[], places: number, until: Instant): Admitted {
  if (sayings.length <= Math.max(places, 0)) return { say: sayings, wait: [] };
  if (places <= 0) return { say: [], wait: sayings.map((saying) => ({ saying, until })) };
  return { say: [...sayings.slice(0, places - 1), bundle(sayings.slice(places - 1))], wait: [] };
}

function slotFreeAt(taken: readonly Instant[], atMost: number, perMs: number, now: Instant): Instant {
  return (taken[taken.length - atMost] ?? now) + perMs;
}
