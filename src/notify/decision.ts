import type { Instant } from "../lib/instant.ts";
import type { NotificationKind } from "../model/notification.ts";
import {
  type Batch,
  type Candidate,
  type Dropped,
  type DropReason,
  EMPTY_CONTEXT,
  type Held,
  type HoldReason,
  type LastNotified,
  type NotifyContext,
  type NotifyReason,
  type Outgoing,
  type ReceiverTerms,
} from "./batch.ts";
import { runPipeline } from "./pipeline.ts";

/** What to do about one alert and one receiver, why, and when to ask again although nothing has changed. */
export type Decision =
  | {
      readonly do: "tell";
      readonly kind: NotificationKind;
      readonly reason: NotifyReason;
      readonly by: string;
      readonly nextAt: Instant | null;
      /** What the receiver knows from now on. */
      readonly told: LastNotified;
      /** The alert whose message tells of it; null for one of its own. */
      readonly with: string | null;
    }
  | { readonly do: "hold"; readonly reason: HoldReason; readonly by: string; readonly nextAt: Instant }
  | {
      readonly do: "drop";
      readonly reason: DropReason;
      readonly by: string;
      readonly nextAt: Instant | null;
    };

/** Decides for all alerts of one receiver that are to be looked at now; throttled together, gravest first. */
export function decideAll(
  matters: readonly Candidate[],
  receiver: ReceiverTerms,
  now: Instant,
  around: NotifyContext = EMPTY_CONTEXT,
): readonly Decided[] {
  return decisionsOf(runPipeline(matters, receiver, now, around));
}

export interface Decided {
  readonly matter: Candidate;
  readonly decision: Decision;
}

function decisionsOf({ say, held, dropped, now }: Batch): readonly Decided[] {
  return [
    ...say.flatMap((saying) => [
      { matter: saying.matter, decision: notifyDecision(saying, now, null) },
      ...(saying.also ?? []).map((other) => ({
        matter: other.matter,
        decision: notifyDecision(other, now, saying.matter.alert.id),
      })),
    ]),
    ...held.map((entry) => ({ matter: entry.matter, decision: hold(entry) })),
    ...dropped.map((entry) => ({ matter: entry.matter, decision: drop(entry) })),
  ];
}

function notifyDecision(
  { matter: { alert, terms }, kind, reason }: Outgoing,
  now: Instant,
  leader: string | null,
): Decision {
  const ended = alert.resolvedAt !== null;
  const { severity, lastSeenAt, tellings } = alert;
  const told = { at: now, severity, lastSeenAt, tellings, ended };
  const isCalling = !ended && alert.state !== "acknowledged";
  const repeatAt = terms.repeatEveryMs === null ? Number.POSITIVE_INFINITY : now + terms.repeatEveryMs;
  const nextAt = Math.min(repeatAt, terms.escalation?.nextAt ?? Number.POSITIVE_INFINITY);
  return {
    do: "tell",
    kind,
    reason,
    by: reason === "Escalated" && terms.escalation !== null ? terms.escalation.by : "route",
    nextAt: isCalling && Number.isFinite(nextAt) ? nextAt : null,
    told,
    with: leader,
  };
}

function hold({ reason, by, until }: Held): Decision {
  return { do: "hold", reason, by, nextAt: until };
}

function drop({ reason, by, nextAt }: Dropped): Decision {
  return { do: "drop", reason, by, nextAt };
}
