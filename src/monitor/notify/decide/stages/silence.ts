import { describeSilence, silencedAt } from "../../../model/silence.ts";
import type { Batch, DroppedCandidate, HeldCandidate, Outgoing } from "../batch.ts";

/**
 * Holds an alert while a silence matches it; if it is still open when the silence ends, it is sent at once. The end of
 * an announced alert passes. An alert that fired and ended inside the silence is dropped.
 */
export function silence(batch: Batch): Batch {
  const send: Outgoing[] = [];
  const held: HeldCandidate[] = [...batch.held];
  const dropped: DroppedCandidate[] = [...batch.dropped];
  const { silences } = batch.context;
  for (const outgoing of batch.send) {
    const { candidate, reason } = outgoing;
    const { alert } = candidate;
    const found =
      reason === "Resolved"
        ? null
        : silencedAt(silences, alert, alert.resolvedAt === null ? batch.now : alert.resolvedAt);
    if (found === null) send.push(outgoing);
    else if (alert.resolvedAt !== null && silencedAt(silences, alert, alert.firedAt ?? alert.openedAt)) {
      dropped.push({
        candidate,
        reason: "EndedWhileMuted",
        by: describeSilence(found.silence),
        nextAt: null,
      });
    } else if (batch.now < found.until) {
      held.push({
        candidate,
        reason: "HeldBySilence",
        by: describeSilence(found.silence),
        until: found.until,
      });
    } else send.push(outgoing);
  }
  return { ...batch, send, held, dropped };
}
