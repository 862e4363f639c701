import { describeSilence, silencedAt } from "../../model/silence.ts";
import type { Batch, Dropped, Held, Outgoing } from "../batch.ts";

/**
 * Holds back what somebody wants to hear nothing of, until the silence ends; if the alert still stands then, it is told
 * at once. The end of what was announced passes. What began and ended inside is dropped.
 */
export function silence(batch: Batch): Batch {
  const say: Outgoing[] = [];
  const held: Held[] = [...batch.held];
  const dropped: Dropped[] = [...batch.dropped];
  const { silences } = batch.around;
  for (const saying of batch.say) {
    const { matter, reason } = saying;
    const { alert } = matter;
    const found =
      reason === "Resolved"
        ? null
        : silencedAt(silences, alert, alert.resolvedAt === null ? batch.now : alert.resolvedAt);
    if (found === null) say.push(saying);
    else if (alert.resolvedAt !== null && silencedAt(silences, alert, alert.firedAt ?? alert.openedAt)) {
      dropped.push({ matter, reason: "EndedWhileMuted", by: describeSilence(found.silence), nextAt: null });
    } else if (batch.now < found.until) {
      held.push({ matter, reason: "HeldBySilence", by: describeSilence(found.silence), until: found.until });
    } else say.push(saying);
  }
  return { ...batch, say, held, dropped };
}
