import { compareSeverity } from "../../model/severity.ts";
import type { Batch, Dropped, Held, Outgoing } from "../batch.ts";
import { describeQuietHours, type Quiet, quietAt } from "../quiet-hours.ts";

/**
 * Holds back what falls into the receiver's quiet hours, until they end: first messages, escalations, reminders and
 * ends alike. The end of what was announced is held, never dropped. Only an alert that began and ended inside one rest
 * is dropped, where the quiet hours call it too mild to be told afterwards.
 */
export function quietHours(batch: Batch): Batch {
  const say: Outgoing[] = [];
  const held: Held[] = [...batch.held];
  const dropped: Dropped[] = [...batch.dropped];
  for (const saying of batch.say) {
    const { matter } = saying;
    const slept = sleptThrough(batch, saying);
    const quiet = quietAt(batch.receiver.quietHours, matter.alert.severity, batch.now);
    if (slept && !notifiesAfterwards(slept, saying)) {
      const by = describeQuietHours(slept.hours);
      dropped.push({ matter, reason: "ResolvedUnannounced", by, nextAt: null });
    } else if (quiet) {
      const by = describeQuietHours(quiet.hours);
      held.push({ matter, reason: "HeldByQuietHours", by, until: quiet.until });
    } else {
      say.push(saying);
    }
  }
  return { ...batch, say, held, dropped };
}

/** The rest inside which an alert both fired and ended unheard. Judged by its own times, not by when we looked. */
function sleptThrough({ receiver }: Batch, { reason, matter: { alert } }: Outgoing): Quiet | null {
  if (reason !== "FiredAndEnded" || alert.firedAt === null || alert.resolvedAt === null) return null;
  const quiet = quietAt(receiver.quietHours, alert.severity, alert.firedAt);
  return quiet !== null && alert.resolvedAt <= quiet.until ? quiet : null;
}

function notifiesAfterwards({ hours }: Quiet, { matter }: Outgoing): boolean {
  return (
    hours.notifyAfterwards !== "nothing" &&
    compareSeverity(matter.alert.severity, hours.notifyAfterwards) >= 0
  );
}
