import type {
  Alert,
  AlertEvent,
  AlertListing,
  AlertPosition,
  AlertStates,
  ListedIncident,
  MentionFilter,
  MentionListing,
  MentionPosition,
  MetricFacts,
  Outage,
  ProcessVersions,
  RulePrecision,
  ShownBudget,
  ShownDeadLetter,
  ShownDelivery,
  ShownHeartbeat,
  ShownIncident,
  ShownMention,
  ShownNotification,
  ShownPoll,
  ShownQuirk,
  ShownReceiver,
  ShownStory,
  VolumeCount,
} from "#monitor";
import type { Instant } from "../lib/instant.ts";

/** Reads what the console shows. No answer is longer than its limit. */
export interface ConsoleFacts {
  newestMentions(limit: number): Promise<readonly ShownMention[]>;
  mentions(filter: MentionFilter, after: MentionPosition | null, limit: number): Promise<MentionListing>;
  volume(from: Instant, to: Instant): Promise<readonly VolumeCount[]>;

  openAlerts(limit: number): Promise<readonly Alert[]>;
  /** Open alerts without those that an open incident stands for. */
  openAlertsAlone(limit: number): Promise<readonly Alert[]>;
  openIncidents(limit: number): Promise<readonly ListedIncident[]>;
  incidentOfAlert(projectId: string, alertId: string): Promise<ShownIncident | null>;
  /** When the last alert was resolved; null if none was. */
  quietSince(): Promise<Instant | null>;
  countOpenAlerts(): Promise<number>;
  alerts(states: AlertStates, after: AlertPosition | null, limit: number): Promise<AlertListing>;
  alert(id: string): Promise<Alert | null>;
  alertEvents(projectId: string, alertId: string, limit: number): Promise<readonly AlertEvent[]>;
  alertMatches(projectId: string, alertId: string, limit: number): Promise<readonly ShownMention[]>;
  /** The findings of its notification, as stored; null if there are none. */
  alertExplanation(projectId: string, alertId: string): Promise<unknown>;
  /** How many mentions of an alert were deleted. */
  deletedMentions(projectId: string, alertId: string): Promise<number>;
  alertStories(alert: Alert, from: "matches" | "window", limit: number): Promise<readonly ShownStory[]>;
  rulePrecision(rule: string, since: Instant): Promise<RulePrecision>;
  /** The alerts of one rule that opened from `since` on, newest first. */
  ruleAlerts(rule: string, since: Instant, limit: number): Promise<readonly Alert[]>;
  windowMentions(alert: Alert, limit: number): Promise<readonly ShownMention[]>;

  notifications(limit: number): Promise<readonly ShownNotification[]>;
  alertNotifications(
    projectId: string,
    alertId: string,
    limit: number,
  ): Promise<readonly ShownNotification[]>;
  alertDeliveries(projectId: string, alertId: string, limit: number): Promise<readonly ShownDelivery[]>;
  alertReceivers(projectId: string, alertId: string): Promise<readonly ShownReceiver[]>;
  countDueNotifications(): Promise<number>;

  queryNames(): Promise<readonly { projectId: string; queryId: string; name: string }[]>;
  coverage(since: Instant): Promise<readonly ShownPoll[]>;
  /** The rate budgets of the polled accounts; usually one. */
  budgets(): Promise<readonly ShownBudget[]>;
  /** The server quirks, by account. */
  quirks(): Promise<readonly ShownQuirk[]>;
  deadLetters(limit: number): Promise<readonly ShownDeadLetter[]>;
  /** Outages that ended after `since`, newest first. */
  outages(since: Instant): Promise<readonly Outage[]>;
  /** Which process runs which version of the configuration. */
  processVersions(): Promise<ProcessVersions>;
  /** The latest state of the heartbeat; null before the first check. */
  heartbeat(): Promise<ShownHeartbeat | null>;
  metricFacts(now: Instant): Promise<MetricFacts>;

  /** A token for each part, which changes with the part. Called once a second while a page is open. */
  versions(): Promise<Readonly<Record<FactPart, string>>>;
}

/** Parts of pages that change on their own. */
export type FactPart = "mentions" | "alerts" | "notifications" | "inbox" | "coverage";
