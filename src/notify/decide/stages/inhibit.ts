import { type Instant, MINUTE } from "../../../lib/instant.ts";
import type { Alert } from "../../../model/alert.ts";
import type { Batch, Dropped, Held, Outgoing } from "../batch.ts";
import { activeInhibitors, describeInhibitor, inhibitorOf } from "../inhibition.ts";

/** The end of the graver alert wakes what it muted; this is only for one whose end nobody saw. */
const LOOK_AGAIN_MS = 15 * MINUTE;

/**
 * Holds back what a graver alert mutes, until that is over; if the alert still stands then, it is told at once. The end
 * of what was announced passes. What began and ended meanwhile is dropped; what was over before is told as ever.
 */
export function inhibit(batch: Batch): Batch {
  const send: Outgoing[] = [];
  const held: Held[] = [...batch.held];
  const dropped: Dropped[] = [...batch.dropped];
  const inhibitors = activeInhibitors(batch.context.inhibitions, batch.context.open);
  for (const outgoing of batch.send) {
    const { candidate, reason } = outgoing;
    const { alert } = candidate;
    const found = reason === "Resolved" ? null : inhibitorOf(inhibitors, alert);
    if (found === null || wasOverBefore(found.source, alert)) {
      send.push(outgoing);
      continue;
    }
    const by = describeInhibitor(found.source, found.inhibition);
    if (alert.resolvedAt !== null && beganDuring(found.source, alert)) {
      dropped.push({ candidate, reason: "EndedWhileMuted", by, nextAt: null });
    } else held.push({ candidate, reason: "HeldByInhibition", by, until: batch.now + LOOK_AGAIN_MS });
  }
  return { ...batch, send, held, dropped };
}

function wasOverBefore(source: Alert, { resolvedAt }: Alert): boolean {
  return resolvedAt !== null && resolvedAt < beganAt(source);
}

function beganDuring(source: Alert, alert: Alert): boolean {
  return beganAt(alert) >= beganAt(source);
}

/** Since when it could mute, or be heard. */
function beganAt({ firedAt, openedAt }: Alert): Instant {
  return firedAt ?? openedAt;
}
