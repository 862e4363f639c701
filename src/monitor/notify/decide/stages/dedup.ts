import type { Instant } from "../../../../lib/instant.ts";
import type { Alert } from "../../../model/alert.ts";
import { compareSeverity } from "../../../model/severity.ts";
import type { Batch, Candidate, DroppedCandidate, DropReason, NotifyReason, Outgoing } from "../batch.ts";

/**
 * Compares each alert with the receiver's last notification, and drops alerts without news. It runs first, so that
 * later stages only hold back what would really be sent.
 */
export function dedup(batch: Batch): Batch {
  const send: Outgoing[] = [];
  const dropped: DroppedCandidate[] = [...batch.dropped];
  for (const { candidate } of batch.send) {
    const found = somethingNew(candidate, batch);
    if (found.new) send.push({ candidate, kind: KINDS[found.reason], reason: found.reason });
    else dropped.push({ candidate, reason: found.reason, by: found.by, nextAt: found.nextAt });
  }
  return { ...batch, send, dropped };
}

type Comparison =
  | { readonly new: true; readonly reason: NotifyReason }
  | {
      readonly new: false;
      readonly reason: DropReason;
      readonly by: string;
      readonly nextAt: Instant | null;
    };

const KINDS = {
  FirstNotification: "fired",
  FiredAndEnded: "ended",
  SeverityRose: "escalated",
  Doubled: "doubled",
  NewWave: "wave",
  DayBegan: "day",
  NewFact: "fact",
  RepeatIntervalElapsed: "reminder",
  Escalated: "unanswered",
  Reopened: "reopened",
  Resolved: "resolved",
} as const satisfies Record<NotifyReason, string>;

/** The first check that applies decides. */
function somethingNew(candidate: Candidate, { now, receiver }: Batch): Comparison {
  const { alert, lastNotified, terms } = candidate;
  if (alert.firedAt === null) {
    return nothing(alert.resolvedAt === null ? "StillPending" : "NeverFired", "life cycle");
  }
  if (alert.resolvedAt !== null) {
    if (lastNotified === null)
      return terms.routed ? something("FiredAndEnded") : nothing("NoLongerRouted", "routes");
    if (lastNotified.ended) return nothing("NothingNew", "already notified");
    if (receiver.readByProgram !== true && needsNobody(alert))
      return nothing("EndNeedsNobody", "one mention, and nobody acted on it");
    return terms.sendResolved ? something("Resolved") : nothing("ResolveNotWanted", "route");
  }
  return stillFiring(candidate, now);
}

/** "Resolved after 12 h: 1 mention" is no news. A live message is edited all the same, and a program gets every end. */
function needsNobody({ mentions, windowFrom, windowTo, severity, handling = {} }: Alert): boolean {
  const { acknowledgedBy, assignee, closedBy, endedBecause } = handling;
  const isTouched = [acknowledgedBy, assignee, closedBy, endedBecause].some((one) => one !== undefined);
  return mentions === 1 && windowTo <= windowFrom && severity !== "critical" && !isTouched;
}

function stillFiring({ alert, lastNotified, terms, isWatched }: Candidate, now: Instant): Comparison {
  const { escalation } = terms;
  if (!terms.routed) {
    if (escalation === null) return nothing("NoLongerRouted", "routes");
    if (escalation.reachedAt === null) return nothing("EscalationWaits", escalation.by, escalation.nextAt);
  }
  if (lastNotified === null) return something(terms.routed ? "FirstNotification" : "Escalated");
  if (lastNotified.ended) return something("Reopened");
  if (compareSeverity(alert.severity, lastNotified.severity) > 0) return something("SeverityRose");
  if (alert.notifyCount > lastNotified.notifyCount) return something(alert.renotifyReason ?? "Doubled");
  if (isWatched) return nothing("Watching", "incident");
  if (alert.state === "acknowledged")
    return nothing("Acknowledged", alert.handling?.acknowledgedBy ?? "a person");
  if (escalation !== null && escalation.reachedAt !== null && lastNotified.at < escalation.reachedAt)
    return something("Escalated");
  return reminder({ alert, lastNotified, terms }, now);
}

function reminder(
  {
    alert,
    lastNotified,
    terms,
  }: Candidate & { readonly lastNotified: NonNullable<Candidate["lastNotified"]> },
  now: Instant,
): Comparison {
  const stepAt = terms.escalation?.nextAt ?? null;
  if (terms.repeatEveryMs === null) return nothing("NothingNew", "route, repeatEvery: never", stepAt);
  const repeatAt = lastNotified.at + terms.repeatEveryMs;
  if (now < repeatAt) return nothing("NothingNew", "already notified", earlier(repeatAt, stepAt));
  if (alert.lastSeenAt <= lastNotified.lastSeenAt)
    return nothing("NoNewEvidence", "already notified", stepAt);
  return something("RepeatIntervalElapsed");
}

function earlier(a: Instant, b: Instant | null): Instant {
  return b === null ? a : Math.min(a, b);
}

function something(reason: NotifyReason): Comparison {
  return { new: true, reason };
}

function nothing(reason: DropReason, by: string, nextAt: Instant | null = null): Comparison {
  return { new: false, reason, by, nextAt };
}
