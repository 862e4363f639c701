import type { Instant } from "../../lib/instant.ts";
import { compareSeverity } from "../../model/severity.ts";
import type { Batch, Dropped, DropReason, Matter, Saying, TellReason } from "../batch.ts";

/**
 * Compares each alert with what the receiver was told of it, and drops what there is nothing to say about. It stands
 * first, so that later stages only hold back what would really have been said.
 */
export function compare(batch: Batch): Batch {
  const say: Saying[] = [];
  const dropped: Dropped[] = [...batch.dropped];
  for (const { matter } of batch.say) {
    const found = somethingNew(matter, batch.now);
    if (found.new) say.push({ matter, kind: KINDS[found.reason], reason: found.reason });
    else dropped.push({ matter, reason: found.reason, by: found.by, nextAt: found.nextAt });
  }
  return { ...batch, say, dropped };
}

type Comparison =
  | { readonly new: true; readonly reason: TellReason }
  | {
      readonly new: false;
      readonly reason: DropReason;
      readonly by: string;
      readonly nextAt: Instant | null;
    };

const KINDS = {
  FirstNotification: "fired",
  FiredAndEnded: "fired",
  SeverityRose: "escalated",
  Doubled: "doubled",
  NewWave: "wave",
  RepeatIntervalElapsed: "reminder",
  Resolved: "resolved",
} as const satisfies Record<TellReason, string>;

/** The first line that applies names the outcome. */
function somethingNew({ alert, told, terms }: Matter, now: Instant): Comparison {
  if (alert.firedAt === null) {
    return nothing(alert.resolvedAt === null ? "StillPending" : "NeverFired", "life cycle");
  }
  if (alert.resolvedAt !== null) {
    if (told === null) return terms.routed ? something("FiredAndEnded") : nothing("NoLongerRouted", "routes");
    if (told.ended) return nothing("NothingNew", "told already");
    return terms.sendResolved ? something("Resolved") : nothing("ResolveNotWanted", "route");
  }
  return stillFiring({ alert, told, terms }, now);
}

function stillFiring({ alert, told, terms }: Matter, now: Instant): Comparison {
  if (!terms.routed) return nothing("NoLongerRouted", "routes");
  if (told === null) return something("FirstNotification");
  if (compareSeverity(alert.severity, told.severity) > 0) return something("SeverityRose");
  if (alert.tellings > (told.tellings ?? 1)) return something(alert.retellReason ?? "Doubled");
  if (alert.state === "acknowledged") return nothing("Acknowledged", "a person");
  if (terms.repeatEveryMs === null) return nothing("NothingNew", "route, repeatEvery: never");
  const repeatAt = told.at + terms.repeatEveryMs;
  if (now < repeatAt) return nothing("NothingNew", "told already", repeatAt);
  if (alert.lastSeenAt <= told.lastSeenAt) return nothing("NoNewEvidence", "told already");
  return something("RepeatIntervalElapsed");
}

function something(reason: TellReason): Comparison {
  return { new: true, reason };
}

function nothing(reason: DropReason, by: string, nextAt: Instant | null = null): Comparison {
  return { new: false, reason, by, nextAt };
}
