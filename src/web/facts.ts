import type { Instant } from "../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import type { AlertEvent } from "../model/alert-event.ts";
import type { Mention } from "../model/mention.ts";
import type { NotificationKind, NotificationState } from "../model/notification.ts";
import type { WalkName } from "../model/walk.ts";

/** What the console shows. Reading only; every answer is as short as its limit says. */
export interface ConsoleFacts {
  newestMentions(limit: number): Promise<readonly ShownMention[]>;
  mentions(filter: MentionFilter, after: MentionPosition | null, limit: number): Promise<MentionListing>;
  volume(from: Instant, to: Instant): Promise<readonly VolumeCount[]>;

  openAlerts(limit: number): Promise<readonly Alert[]>;
  countOpenAlerts(): Promise<number>;
  alerts(states: AlertStates, after: AlertPosition | null, limit: number): Promise<AlertListing>;
  alert(id: string): Promise<Alert | null>;
  alertEvents(projectId: string, alertId: string, limit: number): Promise<readonly AlertEvent[]>;
  alertMatches(projectId: string, alertId: string, limit: number): Promise<readonly ShownMention[]>;
  /** What was found out about it when people were told, as stored; null where nothing was. */
  alertExplanation(projectId: string, alertId: string): Promise<unknown>;
  windowMentions(alert: Alert, limit: number): Promise<readonly ShownMention[]>;

  notifications(limit: number): Promise<readonly ShownNotification[]>;
  alertNotifications(
    projectId: string,
    alertId: string,
    limit: number,
  ): Promise<readonly ShownNotification[]>;
  alertDeliveries(projectId: string, alertId: string, limit: number): Promise<readonly ShownDelivery[]>;
  countDueNotifications(): Promise<number>;

  queryNames(): Promise<readonly { projectId: string; queryId: string; name: string }[]>;
  coverage(since: Instant): Promise<readonly ShownWalk[]>;
  setAside(limit: number): Promise<readonly ShownSetAside[]>;

  /** A token for each part, changed when the part is. Asked once a second while somebody looks. */
  versions(): Promise<Readonly<Record<FactPart, string>>>;
}

/** Parts of pages that change on their own. */
export type FactPart = "mentions" | "alerts" | "notifications" | "inbox" | "coverage";

export interface ShownMention {
  readonly mention: Mention;
  readonly projectId: string;
  readonly queryName: string;
  readonly eventAt: Instant;
}

export interface MentionFilter {
  readonly projectId: string | null;
  readonly queryId: string | null;
  readonly sentiment: string | null;
  readonly contains: string | null;
}

export interface MentionPosition {
  readonly moment: Instant;
  readonly queryId: string;
  readonly resourceId: string;
}

export interface MentionListing {
  readonly mentions: readonly ShownMention[];
  readonly next: MentionPosition | null;
  readonly stoppedEarly: boolean;
}

export interface VolumeCount {
  readonly projectId: string;
  readonly queryId: string;
  readonly queryName: string;
  readonly hour: Instant;
  readonly sentiment: string | null;
  readonly n: number;
}

export type AlertStates = "open" | "resolved" | "all";

export interface AlertPosition {
  readonly openedAt: Instant;
  readonly id: string;
}

export interface AlertListing {
  readonly alerts: readonly Alert[];
  readonly next: AlertPosition | null;
}

export interface ShownNotification {
  readonly id: string;
  readonly receiver: string;
  readonly kind: NotificationKind;
  readonly alertId: string | null;
  readonly rule: string | null;
  readonly queryName: string | null;
  readonly digestName: string | null;
  readonly createdAt: Instant;
  readonly reason: string;
  readonly state: NotificationState;
  readonly attempts: number;
  readonly sentAt: Instant | null;
  readonly lastError: string | null;
}

export interface ShownDelivery {
  readonly notificationId: string;
  readonly attempt: number;
  readonly atWall: Instant;
  readonly outcome: string;
  readonly detail: string;
}

export interface ShownWalk {
  readonly projectName: string;
  readonly queryId: string;
  readonly queryName: string;
  readonly walk: WalkName;
  readonly polledAt: Instant | null;
  readonly completeUntil: Instant | null;
  readonly tickedUntil: Instant;
  readonly failures: number;
  readonly lastError: string | null;
  readonly polls: number;
  readonly seen: number;
  readonly stored: number;
  readonly rejected: number;
  readonly gap: number;
}

export interface ShownSetAside {
  readonly queryName: string;
  readonly at: Instant;
  readonly resourceId: string | null;
  readonly reason: string;
}
