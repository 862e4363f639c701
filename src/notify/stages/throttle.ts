import { formatDuration } from "../../lib/duration.ts";
import { compareSeverity } from "../../model/severity.ts";
import type { Batch, Held, Saying } from "../batch.ts";
import type { Throttle } from "../throttle.ts";

/** Holds back what is more than the receiver's share of a time, the gravest and oldest first in line. */
export function throttle(batch: Batch): Batch {
  const limits = batch.receiver.throttle;
  if (limits === null) return batch;
  const taken = batch.receiver.recent.filter((at) => at > batch.now - limits.perMs).sort((a, b) => a - b);
  const say: Saying[] = [];
  const held: Held[] = [...batch.held];
  let waiting = 0;
  for (const saying of inOrderOfWorth(batch.say)) {
    if (breaksThrough(limits, saying) || taken.length < limits.atMost) {
      taken.push(batch.now);
      say.push(saying);
    } else {
      const until = (taken[taken.length - limits.atMost + waiting++] ?? batch.now) + limits.perMs;
      const by = `throttle, ${limits.atMost} in ${formatDuration(limits.perMs)}`;
      held.push({ matter: saying.matter, reason: "HeldByThrottle", by, until });
    }
  }
  return { ...batch, say, held };
}

function inOrderOfWorth(say: readonly Saying[]): readonly Saying[] {
  return say.toSorted(
    ({ matter: { alert: a } }, { matter: { alert: b } }) =>
      compareSeverity(b.severity, a.severity) || a.openedAt - b.openedAt,
  );
}

function breaksThrough({ breakThrough }: Throttle, { matter }: Saying): boolean {
  return breakThrough !== "nothing" && compareSeverity(matter.alert.severity, breakThrough) >= 0;
}
