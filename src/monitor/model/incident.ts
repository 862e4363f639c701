import type { Instant } from "../../lib/instant.ts";
import type { AlertHandling, RenotifyReason } from "./alert.ts";
import type { Actor } from "./alert-action.ts";
import type { Severity } from "./severity.ts";

/**
 * open: an alert of it is open, or mentions are far above what was usual. handled: the same, and somebody acknowledged
 * it or has it. watching: it has calmed down; it ends when it stays calm. over: it has ended.
 */
export type IncidentStatus = "open" | "handled" | "watching" | "over";

/** Mentions in one hour. */
export interface HourCount {
  readonly negative: number;
  readonly total: number;
}

/**
 * What a person calls a crisis: the alerts of one query that belong together, with one message for each receiver and
 * one end. It holds no words of mentions. All moments are domain time.
 */
export interface Incident {
  readonly id: string;
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string;
  /** The `incident` key of the rules whose alerts may join; empty for rules without one. */
  readonly group: string;
  /** The alert that began it. The messages about this alert are those of the incident. */
  readonly leaderId: string;
  readonly status: IncidentStatus;
  /** The highest severity that an alert of it had. */
  readonly severity: Severity;
  readonly openedAt: Instant;
  /** Its mentions are counted from here: the window that began it. */
  readonly countedFrom: Instant;
  /** The newest evidence of its alerts. */
  readonly lastSeenAt: Instant;
  /** How many alerts are in it. */
  readonly alerts: number;
  /** More was said than is ordinary up to here. */
  readonly uncalmUntil: Instant;
  /** Since when it is calm; null while it is not watched. */
  readonly calmSince: Instant | null;
  readonly endedAt: Instant | null;
  /** Its life is decided up to here, in arrival time. */
  readonly checkedUntil: Instant;
  /** 1 from the beginning, plus one for each reason to notify again. */
  readonly notifyCount: number;
  readonly renotifyReason: RenotifyReason | null;
  /** How often its alerts gave a reason to notify again. */
  readonly waves: number;
  /** When people were last notified of something new, and how many mentions of its measure the 15 minutes before had. */
  readonly notified: { readonly at: Instant; readonly count: number };
  /** The incident of another query that has the same cause and speaks for it; absent if it speaks for itself. */
  readonly partOf?: string;
  /** What its end is measured by. */
  readonly measure: "negative" | "total";
  /** Mentions an hour in the week before it began, by hour of the day (UTC); null if less than a day is known. */
  readonly usual: readonly HourCount[] | null;
  /** The largest hour so far. */
  readonly peak: HourCount;
  /** The days, in the zone of the query, that were announced: 1 at the beginning. */
  readonly day: number;
  /** The last kind of fact was announced then. */
  readonly factAt: Instant;
  /** Who acknowledged it, its assignee, who ended it, and since when it needs attention. */
  readonly handling: AlertHandling;
  /** How many comments people wrote: its messages show each in their thread. Absent: none. */
  readonly comments?: number;
}

/** An incident that speaks for itself, with those of other queries that have the same cause, oldest first. */
export interface WholeIncident {
  readonly incident: Incident;
  readonly parts: readonly Incident[];
}

/** Counted from the stored mentions of [from, to), by their own time. */
export interface IncidentCounts extends HourCount {
  readonly from: Instant;
  readonly to: Instant;
  /** The most in any 60 minutes that end at a full five minutes; `until` is their end. */
  readonly most: { readonly count: number; readonly until: Instant } | null;
  /** Those of the hour up to which its life is decided: of now, also while it is watched. */
  readonly lastHour: HourCount;
}

/** What happened to an incident: `Opened` to `Over`, and what people did. */
export type IncidentEntryKind =
  | "Opened"
  | "Joined"
  | "SeverityRose"
  | "NewFact"
  | "Grew"
  | "NewWave"
  | "DayBegan"
  | "Handled"
  | "Watching"
  | "Reopened"
  | "Over"
  | "Merged"
  | "Split";

/** A line of the timeline. `detail` has numbers and words of the rules, never words of a mention. */
export interface IncidentEntry {
  readonly incidentId: string;
  readonly at: Instant;
  readonly kind: IncidentEntryKind;
  readonly detail: string;
  /** The alert that it is about, if it is about one. */
  readonly alertId?: string | undefined;
  readonly actor?: Actor | undefined;
}

/** Why an alert belongs to an incident. */
export interface Membership {
  readonly projectId: string;
  readonly alertId: string;
  readonly incidentId: string;
  readonly joinedAt: Instant;
  readonly because: string;
}
