import type { Instant } from "../../../lib/instant.ts";
import type { Alert, RenotifyReason } from "../../model/alert.ts";
import type { NotificationKind } from "../../model/notification.ts";
import type { Severity } from "../../model/severity.ts";
import type { Silence } from "../../model/silence.ts";
import type { Inhibition } from "./inhibition.ts";
import type { QuietHours } from "./quiet-hours.ts";
import type { Throttle } from "./throttle.ts";

/**
 * The candidates of one receiver at one moment, on their way through the pipeline. Every candidate is in exactly one of
 * `send`, `held` and `dropped`, and a stage only moves it with a reason.
 */
export interface Batch {
  readonly receiver: ReceiverTerms;
  readonly now: Instant;
  readonly context: NotifyContext;
  readonly send: readonly Outgoing[];
  readonly held: readonly HeldCandidate[];
  readonly dropped: readonly DroppedCandidate[];
}

/** What holds for every receiver at the moment of a decision. */
export interface NotifyContext {
  /** Those in force, and those that ended in the last day. */
  readonly silences: readonly Silence[];
  readonly inhibitions: readonly Inhibition[];
  /** Alerts of the project that have fired and are not resolved. */
  readonly open: readonly Alert[];
  /** Alerts that are decided now and have ended: what was muted by them may have ended at the same moment. */
  readonly ended?: readonly Alert[];
}

/** No silences, no open alerts. */
export const EMPTY_CONTEXT: NotifyContext = { silences: [], inhibitions: [], open: [] };

export type Stage = (batch: Batch) => Batch;

/** One alert, the last notification of the receiver about it, and the terms of the route. */
export interface Candidate {
  readonly alert: Alert;
  readonly lastNotified: LastNotified | null;
  readonly terms: Terms;
  /** It is an incident that has calmed down: nobody is reminded of it. */
  readonly isWatched?: boolean;
}

/** The last notification of a receiver about an alert: one row for each pair, written with the notification. */
export interface LastNotified {
  /** Domain time of the decision. */
  readonly at: Instant;
  /** Severity and newest evidence of the alert at that time. */
  readonly severity: Severity;
  readonly lastSeenAt: Instant;
  /** The alert's `notifyCount` at that time. */
  readonly notifyCount: number;
  /** The receiver was notified that the alert is resolved. */
  readonly ended: boolean;
}

/** The terms of the route. */
export interface Terms {
  /** False: no route leads to the receiver any more; it only gets the resolve notification. */
  readonly routed: boolean;
  /** Null: never. */
  readonly repeatEveryMs: number | null;
  readonly sendResolved: boolean;
  readonly forgetAfterMs: number;
  /** Null: the alert is sent alone, at once. */
  readonly group: GroupTerms | null;
  readonly escalation: EscalationTerms | null;
}

/** Alerts of a project with the same key are sent in one message. */
export interface GroupTerms {
  readonly key: string;
  /** How long the first news of a group waits for more. */
  readonly waitMs: number;
  /** The least time between two messages about a group. */
  readonly intervalMs: number;
}

/** The escalation steps that lead to the receiver while nobody has acknowledged the alert. */
export interface EscalationTerms {
  /** The newest step that is due; null while none is. */
  readonly reachedAt: Instant | null;
  /** The next step that leads here; null when there is none. */
  readonly nextAt: Instant | null;
  readonly by: string;
}

/** What the stages have to know of a receiver. */
export interface ReceiverTerms {
  readonly name: string;
  readonly quietHours: readonly QuietHours[];
  readonly throttle: Throttle | null;
  /** A program reads its messages. */
  readonly readByProgram?: boolean;
  /** When notifications were decided for it, at least for the throttle's period back. Any order. */
  readonly recent: readonly Instant[];
  /** Those among them that broke through the throttle; none, when absent. */
  readonly recentBreakThrough?: readonly Instant[];
  /** Time of its last notification about each group, by key. */
  readonly flushes?: ReadonlyMap<string, Instant>;
}

export interface Outgoing {
  readonly candidate: Candidate;
  readonly kind: NotificationKind;
  readonly reason: NotifyReason;
  /** Added to the same message. */
  readonly also?: readonly Outgoing[];
}

export interface HeldCandidate {
  readonly candidate: Candidate;
  readonly reason: HoldReason;
  readonly by: string;
  readonly until: Instant;
}

export interface DroppedCandidate {
  readonly candidate: Candidate;
  readonly reason: DropReason;
  readonly by: string;
  /** When to decide again even if the alert does not change. */
  readonly nextAt: Instant | null;
}

export type NotifyReason =
  | "FirstNotification"
  | "SeverityRose"
  | RenotifyReason
  | "RepeatIntervalElapsed"
  /** Nobody acknowledged it in time: an escalation step leads here. */
  | "Escalated"
  /** It was reported as resolved and fired again. */
  | "Reopened"
  | "Resolved"
  /** It fired and ended before the receiver was notified of either: one message reports both. */
  | "FiredAndEnded";

export type HoldReason =
  | "HeldBySilence"
  | "HeldByInhibition"
  | "HeldByQuietHours"
  | "HeldByGroup"
  | "HeldByThrottle";

export type DropReason =
  | "StillPending"
  | "NeverFired"
  /** Already notified, and the repeat interval has not passed (or there is none). */
  | "NothingNew"
  /** The repeat interval has passed without new evidence; the next evidence is sent. */
  | "NoNewEvidence"
  /** Somebody acknowledged it: no reminders. */
  | "Acknowledged"
  /** An incident that has calmed down, and is watched until it is over. */
  | "Watching"
  | "NoLongerRouted"
  /** A later step of an escalation leads here. */
  | "EscalationWaits"
  /** A later step would have led here, but somebody acknowledged the alert, or it was resolved. */
  | "EscalationStopped"
  | "ResolveNotWanted"
  /** The end of a single mention that nobody acted on. */
  | "EndNeedsNobody"
  /** Fired and ended inside quiet hours, and is too mild to be sent afterwards. */
  | "ResolvedUnannounced"
  /** Fired and ended while a silence or a more severe alert muted it. */
  | "EndedWhileMuted"
  | "EndedLongAgo";
