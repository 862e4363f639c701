import type { Instant } from "../../../lib/instant.ts";
import type { NotificationKind } from "../../model/notification.ts";
import {
  type Batch,
  type Candidate,
  type DroppedCandidate,
  type DropReason,
  EMPTY_CONTEXT,
  type HeldCandidate,
  type HoldReason,
  type LastNotified,
  type NotifyContext,
  type NotifyReason,
  type Outgoing,
  type ReceiverTerms,
  type Stage,
} from "./batch.ts";
import { dedup } from "./stages/dedup.ts";
import { expire } from "./stages/expire.ts";
import { group } from "./stages/group.ts";
import { inhibit } from "./stages/inhibit.ts";
import { quietHours } from "./stages/quiet-hours.ts";
import { silence } from "./stages/silence.ts";
import { throttle } from "./stages/throttle.ts";

/** What to do about one alert and one receiver, why, and when to decide again without a change. */
export type Decision =
  | {
      readonly do: "send";
      readonly kind: NotificationKind;
      readonly reason: NotifyReason;
      readonly by: string;
      readonly nextAt: Instant | null;
      /** Stored as the receiver's last notification. */
      readonly lastNotified: LastNotified;
      /** The alert whose message carries this one; null for a message of its own. */
      readonly with: string | null;
    }
  | { readonly do: "hold"; readonly reason: HoldReason; readonly by: string; readonly nextAt: Instant }
  | {
      readonly do: "drop";
      readonly reason: DropReason;
      readonly by: string;
      readonly nextAt: Instant | null;
    };

/** Decides for all due alerts of one receiver together; the throttle takes the most severe first. */
export function decideAll(
  candidates: readonly Candidate[],
  receiver: ReceiverTerms,
  now: Instant,
  context: NotifyContext = EMPTY_CONTEXT,
): readonly DecidedCandidate[] {
  return decisionsOf(runPipeline(candidates, receiver, now, context));
}

export interface DecidedCandidate {
  readonly candidate: Candidate;
  readonly decision: Decision;
}

function decisionsOf({ send, held, dropped, now }: Batch): readonly DecidedCandidate[] {
  return [
    ...send.flatMap((outgoing) => [
      { candidate: outgoing.candidate, decision: notifyDecision(outgoing, now, null) },
      ...(outgoing.also ?? []).map((other) => ({
        candidate: other.candidate,
        decision: notifyDecision(other, now, outgoing.candidate.alert.id),
      })),
    ]),
    ...held.map((entry) => ({ candidate: entry.candidate, decision: hold(entry) })),
    ...dropped.map((entry) => ({ candidate: entry.candidate, decision: drop(entry) })),
  ];
}

function notifyDecision(
  { candidate: { alert, terms }, kind, reason }: Outgoing,
  now: Instant,
  leader: string | null,
): Decision {
  const ended = alert.resolvedAt !== null;
  const { severity, lastSeenAt, notifyCount } = alert;
  const lastNotified = { at: now, severity, lastSeenAt, notifyCount, ended };
  const isCalling = !ended && alert.state !== "acknowledged";
  const repeatAt = terms.repeatEveryMs === null ? Number.POSITIVE_INFINITY : now + terms.repeatEveryMs;
  const nextAt = Math.min(repeatAt, terms.escalation?.nextAt ?? Number.POSITIVE_INFINITY);
  return {
    do: "send",
    kind,
    reason,
    by: reason === "Escalated" && terms.escalation !== null ? terms.escalation.by : "route",
    nextAt: isCalling && Number.isFinite(nextAt) ? nextAt : null,
    lastNotified,
    with: leader,
  };
}

function hold({ reason, by, until }: HeldCandidate): Decision {
  return { do: "hold", reason, by, nextAt: until };
}

function drop({ reason, by, nextAt }: DroppedCandidate): Decision {
  return { do: "drop", reason, by, nextAt };
}

/** The stages in their order. A held alert does not count as notified: `LastNotified` is only written for `send`. */
const STAGES: readonly Stage[] = [dedup, expire, silence, inhibit, quietHours, group, throttle];

/** Sorts the candidates of one receiver into send, held and dropped. Each ends up in exactly one of them. */
export function runPipeline(
  candidates: readonly Candidate[],
  receiver: ReceiverTerms,
  now: Instant,
  context: NotifyContext = EMPTY_CONTEXT,
): Batch {
  // Only `dedup` knows what is really sent; until then every candidate may be.
  const outgoing = candidates.map(
    (candidate) => ({ candidate, kind: "fired", reason: "FirstNotification" }) as const,
  );
  const start: Batch = { receiver, now, context, send: outgoing, held: [], dropped: [] };
  return STAGES.reduce((batch, stage) => stage(batch), start);
}
