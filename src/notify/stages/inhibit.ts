import { MINUTE } from "../../lib/instant.ts";
import type { Batch, Dropped, Held, Saying } from "../batch.ts";
import { describeInhibitor, inhibitorOf, standingInhibitors } from "../inhibition.ts";

/** The end of the graver alert wakes what it muted; this is only for one whose end nobody saw. */
const LOOK_AGAIN_MS = 15 * MINUTE;

/**
 * Holds back what a graver alert mutes, until that is over; if the alert still stands then, it is told at once. The end
 * of what was announced passes. What ends meanwhile is dropped.
 */
export function inhibit(batch: Batch): Batch {
  const say: Saying[] = [];
  const held: Held[] = [...batch.held];
  const dropped: Dropped[] = [...batch.dropped];
  const inhibitors = standingInhibitors(batch.around.inhibitions, batch.around.open);
  for (const saying of batch.say) {
    const { matter, reason } = saying;
    const found = reason === "Resolved" ? null : inhibitorOf(inhibitors, matter.alert);
    if (found === null) {
      say.push(saying);
      continue;
    }
    const by = describeInhibitor(found.source, found.inhibition);
    if (matter.alert.resolvedAt === null) {
      held.push({ matter, reason: "HeldByInhibition", by, until: batch.now + LOOK_AGAIN_MS });
    } else dropped.push({ matter, reason: "EndedWhileMuted", by, nextAt: null });
  }
  return { ...batch, say, held, dropped };
}
