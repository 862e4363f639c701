import {
  type Alert,
  calmFrom,
  type IncidentStatus,
  isSmall,
  type PendingNotification,
  type Severity,
} from "#monitor";
import { type Instant, toIso } from "../../lib/instant.ts";
import { localDateOf } from "../../lib/local-time.ts";
import type { SimulationResult } from "./simulate.ts";

/** What a backtest reports. Times are ISO 8601, days those of `timezone`. */
export interface BacktestReport {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
  /** Judged mentions, those before `from` included. */
  readonly mentions: number;
  /** When the oldest of them arrived: from then on the rules learned. Null if there is none. */
  readonly learnedFrom: string | null;
  readonly alerts: readonly ReportedAlert[];
  /** In the order in which they began. One warning that nothing joined is shown as the alert that it is. */
  readonly incidents: readonly ReportedIncident[];
  /** Days and rules with an alert or a message, in order of time. */
  readonly days: readonly ReportedDay[];
  readonly receivers: readonly ReportedReceiver[];
  /** The ten that sent the most messages. */
  readonly loudest: readonly LoudAlerts[];
  /** How people judged the real alerts at the same time; empty if they judged none. */
  readonly precision: readonly ReportedPrecision[];
}

interface ReportedAlert {
  readonly rule: string;
  readonly query: string;
  /** The values of its other group labels. */
  readonly labels: Readonly<Record<string, string>>;
  readonly severity: Severity;
  readonly openedAt: string;
  /** Null: it was still open at the end. */
  readonly resolvedAt: string | null;
  readonly mentions: number;
  readonly because: string;
  /** Messages about it, to all receivers. */
  readonly messages: number;
}

interface ReportedIncident {
  /** The rule of the alert that began it. */
  readonly rule: string;
  readonly query: string;
  readonly severity: Severity;
  readonly status: IncidentStatus;
  readonly openedAt: string;
  /** When it became calm, of one that is over; null of others. */
  readonly endedAt: string | null;
  /** How many alerts are in it. */
  readonly alerts: number;
  /** Messages about it, to all receivers. */
  readonly messages: number;
}

export interface ReportedDay {
  readonly date: string;
  readonly rule: string;
  /** Alerts that fired on this day. */
  readonly alerts: number;
  /** Messages of this day by receiver. */
  readonly messages: Readonly<Record<string, number>>;
}

export interface ReportedReceiver {
  readonly receiver: string;
  readonly messages: number;
  /** Different alerts in them. */
  readonly alerts: number;
  readonly alertsAWeek: number;
  /** Alerts that waited for a free slot of the throttle, and their share of `alerts`. */
  readonly throttled: number;
  readonly throttleShare: number;
  /** Other alerts that waited or were never sent, by reason. */
  readonly withheld: Readonly<Record<string, number>>;
}

interface LoudAlerts {
  readonly rule: string;
  readonly query: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly alerts: number;
  readonly messages: number;
}

interface ReportedPrecision {
  readonly rule: string;
  /** Alerts on the query and group, and at the time, of a real one that people called relevant, or not. */
  readonly relevant: number;
  readonly notRelevant: number;
  /** Of the judged ones. */
  readonly share: number;
}

const LOUDEST = 10;
const WEEK_MS = 7 * 86_400_000;

/** Sums up a simulation from `from` to `to`. `judged`: real alerts of that time, for the precision. */
export function reportOf(
  simulated: SimulationResult,
  span: { readonly from: Instant; readonly to: Instant; readonly timezone: string },
  judged: readonly Alert[] = [],
): BacktestReport {
  const { alerts, notifications } = simulated;
  const messages = messagesByAlert(notifications);
  return {
    from: toIso(span.from),
    to: toIso(span.to),
    timezone: span.timezone,
    mentions: simulated.mentions,
    learnedFrom: simulated.firstAt === null ? null : toIso(simulated.firstAt),
    alerts: alerts.map((alert) => reported(alert, messages.get(alert.id) ?? 0)),
    incidents: incidentsOf(simulated, messages),
    days: daysOf(simulated, span.timezone),
    receivers: receiversOf(simulated, span.to - span.from),
    loudest: loudestOf(alerts, messages),
    precision: precisionOf(alerts, judged),
  };
}

function reported(alert: Alert, messages: number): ReportedAlert {
  return {
    rule: alert.rule,
    query: alert.queryName,
    labels: groupLabels(alert),
    severity: alert.severity,
    openedAt: toIso(alert.openedAt),
    resolvedAt: alert.resolvedAt === null ? null : toIso(alert.resolvedAt),
    mentions: alert.mentions,
    because: alert.because,
    messages,
  };
}

function incidentsOf(
  { alerts, incidents }: SimulationResult,
  messages: ReadonlyMap<string, number>,
): readonly ReportedIncident[] {
  const rules = new Map(alerts.map(({ id, rule }) => [id, rule]));
  return incidents
    .filter((incident) => !isSmall(incident))
    .map((incident) => ({
      rule: rules.get(incident.leaderId) ?? "",
      query: incident.queryName,
      severity: incident.severity,
      status: incident.status,
      openedAt: toIso(incident.openedAt),
      endedAt: incident.endedAt === null ? null : toIso(calmFrom(incident) ?? incident.endedAt),
      alerts: incident.alerts,
      messages: messages.get(incident.leaderId) ?? 0,
    }));
}

/** The labels that distinguish alerts of one rule and query. */
export function groupLabels({ labels }: Pick<Alert, "labels">): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => name !== "query"));
}

/** Labels for readers: "author Ann, one story". The key of a story means nothing to them. */
export function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => (name === "story" ? "one story" : `${name} ${value}`))
    .join(", ");
}

/** The alerts in a message, the leading one first. */
function alertsIn({ alertId, also = [] }: PendingNotification): readonly string[] {
  return alertId === null ? also : [alertId, ...also];
}

function messagesByAlert(notifications: readonly PendingNotification[]): ReadonlyMap<string, number> {
  const messages = new Map<string, number>();
  for (const notification of notifications)
    for (const id of alertsIn(notification)) messages.set(id, (messages.get(id) ?? 0) + 1);
  return messages;
}

function daysOf({ alerts, notifications }: SimulationResult, timezone: string): readonly ReportedDay[] {
  const rules = new Map(alerts.map(({ id, rule }) => [id, rule]));
  const days = new Map<
    string,
    { date: string; rule: string; alerts: number; messages: Map<string, number> }
  >();
  const dayOf = (at: Instant, rule: string) => {
    const date = dateText(at, timezone);
    const key = `${date} ${rule}`;
    const day = days.get(key) ?? { date, rule, alerts: 0, messages: new Map<string, number>() };
    days.set(key, day);
    return day;
  };
  for (const alert of alerts) dayOf(alert.firedAt ?? alert.openedAt, alert.rule).alerts++;
  for (const { alertId, createdAt, receiver } of notifications) {
    const rule = alertId === null ? undefined : rules.get(alertId);
    if (rule === undefined) continue;
    const { messages } = dayOf(createdAt, rule);
    messages.set(receiver, (messages.get(receiver) ?? 0) + 1);
  }
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, day]) => ({ ...day, messages: Object.fromEntries([...day.messages].sort()) }));
}

/** `2026-03-02`, the day that `timezone` shows. */
function dateText(at: Instant, timezone: string): string {
  const { year, month, day } = localDateOf(at, timezone);
  return [String(year).padStart(4, "0"), String(month).padStart(2, "0"), String(day).padStart(2, "0")].join(
    "-",
  );
}

function receiversOf(
  { notifications, withheld }: SimulationResult,
  lengthMs: number,
): readonly ReportedReceiver[] {
  const weeks = Math.max(lengthMs, 86_400_000) / WEEK_MS;
  const names = new Set([...notifications, ...withheld].map(({ receiver }) => receiver));
  return [...names].sort().map((receiver) => {
    const ofReceiver = notifications.filter((one) => one.receiver === receiver);
    const alerts = new Set(ofReceiver.flatMap(alertsIn)).size;
    const reasons = new Map<string, Set<string>>();
    for (const one of withheld)
      if (one.receiver === receiver)
        reasons.set(one.reason, (reasons.get(one.reason) ?? new Set()).add(one.alertId));
    const throttled = reasons.get(THROTTLED)?.size ?? 0;
    reasons.delete(THROTTLED);
    return {
      receiver,
      messages: ofReceiver.length,
      alerts,
      alertsAWeek: Math.round((alerts / weeks) * 10) / 10,
      throttled,
      throttleShare: alerts === 0 ? 0 : Math.min(1, throttled / alerts),
      withheld: Object.fromEntries([...reasons].map(([reason, ids]) => [reason, ids.size])),
    };
  });
}

const THROTTLED = "HeldByThrottle";

function loudestOf(alerts: readonly Alert[], messages: ReadonlyMap<string, number>): readonly LoudAlerts[] {
  const loud = new Map<string, LoudAlerts>();
  for (const alert of alerts) {
    const known = loud.get(alert.fingerprint);
    loud.set(alert.fingerprint, {
      rule: alert.rule,
      query: alert.queryName,
      labels: groupLabels(alert),
      alerts: (known?.alerts ?? 0) + 1,
      messages: (known?.messages ?? 0) + (messages.get(alert.id) ?? 0),
    });
  }
  return [...loud.values()].sort((a, b) => b.messages - a.messages || b.alerts - a.alerts).slice(0, LOUDEST);
}

function precisionOf(alerts: readonly Alert[], judged: readonly Alert[]): readonly ReportedPrecision[] {
  const counts = new Map<string, { relevant: number; notRelevant: number }>();
  for (const alert of alerts) {
    const opinion = opinionOn(alert, judged);
    if (opinion === null) continue;
    const count = counts.get(alert.rule) ?? { relevant: 0, notRelevant: 0 };
    counts.set(alert.rule, count);
    if (opinion) count.relevant++;
    else count.notRelevant++;
  }
  return [...counts].map(([rule, { relevant, notRelevant }]) => ({
    rule,
    relevant,
    notRelevant,
    share: relevant / (relevant + notRelevant),
  }));
}

/** Whether people called the real alert of the same rule and case relevant; null if they judged none. */
function opinionOn(alert: Alert, judged: readonly Alert[]): boolean | null {
  const found = judged.find(
    (one) => one.handling?.relevant !== undefined && one.rule === alert.rule && isSameCase(alert, one),
  );
  return found?.handling?.relevant ?? null;
}

/** A simulated alert and a real one of the same query and group, open at the same time. */
export function isSameCase(simulated: Alert, real: Alert): boolean {
  return (
    simulated.queryId === real.queryId &&
    Object.entries(groupLabels(simulated)).every(([name, value]) => real.labels[name] === value) &&
    simulated.openedAt <= endOf(real) &&
    real.openedAt <= endOf(simulated)
  );
}

/** The end of an alert; the newest evidence does for one that is open. */
function endOf({ resolvedAt, lastSeenAt }: Alert): Instant {
  return resolvedAt ?? lastSeenAt;
}
