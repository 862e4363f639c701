import { type Instant, MINUTE } from "../../../../lib/instant.ts";
import type { Alert } from "../../../model/alert.ts";
import type { Batch, DroppedCandidate, HeldCandidate, Outgoing } from "../batch.ts";
import { activeInhibitors, describeInhibitor, inhibitorOf, inhibitorsAmong } from "../inhibition.ts";

/** The end of the more severe alert releases what it muted; this check is for an end that was missed. */
export const LOOK_AGAIN_MS = 15 * MINUTE;

/**
 * Holds an alert while a more severe one mutes it; if it is still open afterwards, it is sent at once. The end of an
 * announced alert passes. An alert that fired and ended while muted is dropped, also if both end at the same moment; one
 * that was resolved before is sent.
 */
export function inhibit(batch: Batch): Batch {
  const send: Outgoing[] = [];
  const held: HeldCandidate[] = [...batch.held];
  const dropped: DroppedCandidate[] = [...batch.dropped];
  const { inhibitions, open, ended = [] } = batch.context;
  const [inhibitors, over] = [activeInhibitors(inhibitions, open), inhibitorsAmong(inhibitions, ended)];
  for (const outgoing of batch.send) {
    const { candidate, reason } = outgoing;
    const { alert } = candidate;
    const found =
      reason === "Resolved"
        ? null
        : (inhibitorOf(inhibitors, alert) ?? inhibitorOf(over, alert, (source) => coversAll(source, alert)));
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

/** It began before the alert, and ended with it or later. */
function coversAll(source: Alert, alert: Alert): boolean {
  const [endedAt, muterEndedAt] = [alert.resolvedAt, source.resolvedAt];
  return endedAt !== null && muterEndedAt !== null && muterEndedAt >= endedAt && beganDuring(source, alert);
}

function beganDuring(source: Alert, alert: Alert): boolean {
  return beganAt(alert) >= beganAt(source);
}

/** From this time on it can mute others, and be sent. */
function beganAt({ firedAt, openedAt }: Alert): Instant {
  return firedAt ?? openedAt;
}
