import { formatDuration } from "../../lib/duration.ts";
import { compareSeverity } from "../../model/severity.ts";
import type { Batch, Held, Saying } from "../batch.ts";
import { bundle, inOrderOfWorth } from "../bundle.ts";
import type { Throttle } from "../throttle.ts";

/**
 * Keeps to the receiver's share of a time, the gravest and oldest first in line. The last free place takes all that is
 * left in one message ("and 14 more"); where none is free, all waits for the next one together. Nothing is dropped.
 */
export function throttle(batch: Batch): Batch {
  const limits = batch.receiver.throttle;
  if (limits === null) return batch;
  const taken = batch.receiver.recent.filter((at) => at > batch.now - limits.perMs).sort((a, b) => a - b);
  const inLine = inOrderOfWorth(batch.say);
  const through = inLine.filter((saying) => breaksThrough(limits, saying));
  const others = inLine.filter((saying) => !breaksThrough(limits, saying));
  const places = limits.atMost - taken.length - through.length;
  if (others.length <= Math.max(places, 0)) return { ...batch, say: [...through, ...others] };
  if (places > 0) {
    const last = bundle(others.slice(places - 1));
    return { ...batch, say: [...through, ...others.slice(0, places - 1), last] };
  }
  const all = [...taken, ...through.map(() => batch.now)];
  const until = (all[all.length - limits.atMost] ?? batch.now) + limits.perMs;
  const by = `throttle, ${limits.atMost} in ${formatDuration(limits.perMs)}`;
  const waiting = others.flatMap((saying) => [saying, ...(saying.also ?? [])]);
  const held: Held[] = waiting.map(({ matter }) => ({ matter, reason: "HeldByThrottle", by, until }));
  return { ...batch, say: through, held: [...batch.held, ...held] };
}

function breaksThrough({ breakThrough }: Throttle, { matter }: Saying): boolean {
  return breakThrough !== "nothing" && compareSeverity(matter.alert.severity, breakThrough) >= 0;
}
