import { formatDuration } from "../../lib/duration.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Batch, Dropped, Outgoing } from "../batch.ts";
import { quietAt } from "../quiet-hours.ts";

/**
 * Drops alerts that were over long before anybody could be told: found in an imported history, or after a long outage.
 * Quiet hours at their end do not count against them. What was announced is not forgotten: its end is always said.
 */
export function expire(batch: Batch): Batch {
  const say: Outgoing[] = [];
  const dropped: Dropped[] = [...batch.dropped];
  for (const saying of batch.say) {
    const { terms } = saying.matter;
    if (saying.reason === "FiredAndEnded" && batch.now > tellableAt(batch, saying) + terms.forgetAfterMs) {
      const by = `route, forgetAfter ${formatDuration(terms.forgetAfterMs)}`;
      dropped.push({ matter: saying.matter, reason: "EndedLongAgo", by, nextAt: null });
    } else {
      say.push(saying);
    }
  }
  return { ...batch, say, dropped };
}

function tellableAt({ receiver }: Batch, { matter: { alert } }: Outgoing): Instant {
  const endedAt = alert.resolvedAt ?? alert.lastSeenAt;
  return quietAt(receiver.quietHours, alert.severity, endedAt)?.until ?? endedAt;
}
