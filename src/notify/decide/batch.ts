import type { Instant } from "../../lib/instant.ts";
import type { Alert, RenotifyReason } from "../../model/alert.ts";
import type { NotificationKind } from "../../model/notification.ts";
import type { Severity } from "../../model/severity.ts";
import type { Silence } from "../../model/silence.ts";
import type { Inhibition } from "./inhibition.ts";
import type { QuietHours } from "./quiet-hours.ts";
import type { Throttle } from "./throttle.ts";

/**
 * What goes through the pipeline: matters of one receiver at one moment. Every matter is in exactly one of `say`,
 * `held` and `dropped`, and a stage only moves it on with a reason.
 */
export interface Batch {
  readonly receiver: ReceiverTerms;
  readonly now: Instant;
  readonly context: NotifyContext;
  readonly send: readonly Outgoing[];
  readonly held: readonly Held[];
  readonly dropped: readonly Dropped[];
}

/** What holds for every receiver at the moment of a decision. */
export interface NotifyContext {
  /** Those in force, and those that ended in the last day. */
  readonly silences: readonly Silence[];
  readonly inhibitions: readonly Inhibition[];
  /** Alerts of the project that have fired and are not over. */
  readonly open: readonly Alert[];
}

/** Nobody silenced anything and nothing stands open. */
export const EMPTY_CONTEXT: NotifyContext = { silences: [], inhibitions: [], open: [] };

export type Stage = (batch: Batch) => Batch;

/** One alert, what the receiver knows of it, and the terms on which it is told. */
export interface Candidate {
  readonly alert: Alert;
  readonly lastNotified: LastNotified | null;
  readonly terms: Terms;
}

/** The last that a receiver was told of an alert: one row per alert and receiver, written with the notification. */
export interface LastNotified {
  /** Domain time of the decision. */
  readonly at: Instant;
  /** Severity and newest evidence of the alert as told. */
  readonly severity: Severity;
  readonly lastSeenAt: Instant;
  /** The alert's `notifyCount` then. */
  readonly notifyCount: number;
  /** It was told that the alert is over. */
  readonly ended: boolean;
}

/** How the route wants it. */
export interface Terms {
  /** False: no route leads to the receiver any more, and it only waits to hear that it is over. */
  readonly routed: boolean;
  /** Null: never. */
  readonly repeatEveryMs: number | null;
  readonly sendResolved: boolean;
  readonly forgetAfterMs: number;
  /** Null: each alert is told for itself, at once. */
  readonly group: GroupTerms | null;
  readonly escalation: EscalationTerms | null;
}

/** Alerts of a project with one key are told together. */
export interface GroupTerms {
  readonly key: string;
  /** How long the first news of a group wait for more. */
  readonly waitMs: number;
  /** The least time between two messages about a group. */
  readonly intervalMs: number;
}

/** Steps that lead to the receiver, as long as nobody has taken the alert on. */
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
  /** When notifications were decided for it, at least for the throttle's period back. Any order. */
  readonly recent: readonly Instant[];
  /** Those among them that broke through the throttle; none, when absent. */
  readonly recentBreakThrough?: readonly Instant[];
  /** When it was last told of each group, by key. */
  readonly flushes?: ReadonlyMap<string, Instant>;
}

export interface Outgoing {
  readonly candidate: Candidate;
  readonly kind: NotificationKind;
  readonly reason: NotifyReason;
  /** Told in the same message, as what comes on top of it. */
  readonly also?: readonly Outgoing[];
}

export interface Held {
  readonly candidate: Candidate;
  readonly reason: HoldReason;
  readonly by: string;
  readonly until: Instant;
}

export interface Dropped {
  readonly candidate: Candidate;
  readonly reason: DropReason;
  readonly by: string;
  /** When there may be something to say without any change of the alert. */
  readonly nextAt: Instant | null;
}

export type NotifyReason =
  | "FirstNotification"
  | "SeverityRose"
  | RenotifyReason
  | "RepeatIntervalElapsed"
  /** Nobody took it on in time: a step of an escalation leads here. */
  | "Escalated"
  /** It was told as over, and it came back. */
  | "Reopened"
  | "Resolved"
  /** It began and ended before the receiver could be told of either: one message says both. */
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
  /** Told already, and the repeat interval is not over (or never is). */
  | "NothingNew"
  /** The repeat interval is over, but no evidence came since; the next that comes is told. */
  | "NoNewEvidence"
  /** Somebody has it in hand: no reminders. */
  | "Acknowledged"
  | "NoLongerRouted"
  /** A later step of an escalation leads here. */
  | "EscalationWaits"
  | "ResolveNotWanted"
  /** Began and ended inside quiet hours, too mild to be told afterwards. */
  | "ResolvedUnannounced"
  /** Began and ended while a silence or a graver alert muted it. */
  | "EndedWhileMuted"
  | "EndedLongAgo";
