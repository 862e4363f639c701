import { compareSeverity } from "../../../model/severity.ts";
import type { Batch, DroppedCandidate, HeldCandidate, Outgoing } from "../batch.ts";
import { describeQuietHours, type Quiet, quietAt } from "../quiet-hours.ts";

/**
 * Holds everything until the receiver's quiet hours end: first messages, escalations, reminders and ends. The end of an
 * announced alert is held, never dropped. Only an alert that fired and ended inside the same quiet hours is dropped, if
 * `notifyAfterwards` makes it too mild to be sent later.
 */
export function quietHours(batch: Batch): Batch {
  const send: Outgoing[] = [];
  const held: HeldCandidate[] = [...batch.held];
  const dropped: DroppedCandidate[] = [...batch.dropped];
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

/** Quiet hours that cover both the start and the end of an alert, by its own times and not by the time of the check. */
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
