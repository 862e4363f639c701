import { compareSeverity } from "../../../model/severity.ts";
import type { Batch, Dropped, Held, Outgoing } from "../batch.ts";
import { describeQuietHours, type Quiet, quietAt } from "../quiet-hours.ts";

/**
 * Holds back what falls into the receiver's quiet hours, until they end: first messages, escalations, reminders and
 * ends alike. The end of what was announced is held, never dropped. Only an alert that began and ended inside one rest
 * is dropped, where the quiet hours call it too mild to be told afterwards.
 */
export function quietHours(batch: Batch): Batch {
  const send: Outgoing[] = [];
  const held: Held[] = [...batch.held];
  const dropped: Dropped[] = [...batch.dropped];
  for (const outgoing of batch.send) {
    const { candidate } = outgoing;
    const slept = sleptThrough(batch, outgoing);
    const quiet = quietAt(batch.receiver.quietHours, candidate.alert.severity, batch.now);
    if (slept && !notifiesAfterwards(slept, outgoing)) {
      const by = describeQuietHours(slept.hours);
      dropped.push({ candidate, reason: "ResolvedUnannounced", by, nextAt: null });
    } else if (quiet) {
      const by = describeQuietHours(quiet.hours);
      held.push({ candidate, reason: "HeldByQuietHours", by, until: quiet.until });
    } else {
      send.push(outgoing);
    }
  }
  return { ...batch, send, held, dropped };
}

/** The rest inside which an alert both fired and ended unheard. Judged by its own times, not by when we looked. */
function sleptThrough({ receiver }: Batch, { reason, candidate: { alert } }: Outgoing): Quiet | null {
  if (reason !== "FiredAndEnded" || alert.firedAt === null || alert.resolvedAt === null) return null;
  const quiet = quietAt(receiver.quietHours, alert.severity, alert.firedAt);
  return quiet !== null && alert.resolvedAt <= quiet.until ? quiet : null;
}

function notifiesAfterwards({ hours }: Quiet, { candidate }: Outgoing): boolean {
  return (
    hours.notifyAfterwards !== "nothing" &&
    compareSeverity(candidate.alert.severity, hours.notifyAfterwards) >= 0
  );
}
