import { formatDuration } from "../../../../lib/duration.ts";
import type { Instant } from "../../../../lib/instant.ts";
import type { Batch, DroppedCandidate, Outgoing } from "../batch.ts";
import { quietAt } from "../quiet-hours.ts";

/**
 * Drops alerts that ended long before anybody could be notified: found in an imported history, or after a long outage.
 * Quiet hours at their end do not count towards that time. The end of an announced alert is always sent.
 */
export function expire(batch: Batch): Batch {
  const send: Outgoing[] = [];
  const dropped: DroppedCandidate[] = [...batch.dropped];
  for (const outgoing of batch.send) {
    const { terms } = outgoing.candidate;
    if (
      outgoing.reason === "FiredAndEnded" &&
      batch.now > notifiableAt(batch, outgoing) + terms.forgetAfterMs
    ) {
      const by = `route, forgetAfter ${formatDuration(terms.forgetAfterMs)}`;
      dropped.push({ candidate: outgoing.candidate, reason: "EndedLongAgo", by, nextAt: null });
    } else {
      send.push(outgoing);
    }
  }
  return { ...batch, send, dropped };
}

function notifiableAt({ receiver }: Batch, { candidate: { alert } }: Outgoing): Instant {
  const endedAt = alert.resolvedAt ?? alert.lastSeenAt;
  return quietAt(receiver.quietHours, alert.severity, endedAt)?.until ?? endedAt;
}
