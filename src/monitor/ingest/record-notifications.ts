import type { Clock } from "../../lib/clock.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Instant } from "../../lib/instant.ts";
import { incidentAsAlert } from "../incidents/incident-as-alert.ts";
import { isCalm } from "../incidents/incident-life.ts";
import type { Alert } from "../model/alert.ts";
import type { PendingNotification, ReceiverEntry } from "../model/notification.ts";
import type { Query } from "../model/query.ts";
import {
  decideNotifications,
  type IncidentAlerts,
  type NotifyConfig,
  type NotifyState,
  type RecentNotifications,
} from "../notify/decide/decide-notifications.ts";
import { isInhibitor } from "../notify/decide/inhibition.ts";
import type { RouteConfig } from "../notify/decide/route.ts";
import type { Facts } from "../store/stores.ts";

/**
 * Decides the notifications of alerts that changed, and writes them in the transaction of the caller, who holds the
 * lock of their query. `waiting` names other alerts with a due decision: they are read under the lock of notification
 * decisions, because they may be of other queries. Returns the notifications that are now pending.
 */
export async function recordNotifications(
  facts: Facts,
  parts: { readonly notifyConfig: NotifyConfig; readonly clock: Clock },
  { projectId }: Query,
  transitions: readonly Alert[],
  waiting: (now: Instant) => Promise<readonly Alert[]> = async () => [],
): Promise<readonly PendingNotification[]> {
  const now = parts.clock.now();
  if (transitions.length > 0) await facts.notifications.lockNotifications(projectId);
  const alerts = [...transitions, ...(await waiting(now))];
  if (alerts.length === 0) return [];
  const { subjects, incidents, inside } = await withIncidents(facts, projectId, alerts);
  const entries = await facts.notifications.entries(
    projectId,
    [...subjects, ...inside].map((alert) => alert.id),
  );
  const state = { ...(await notifyStateOf(facts, parts.notifyConfig, projectId, now)), incidents };
  const decisions = decideNotifications(subjects, entries, parts.notifyConfig, now, state);
  await facts.notifications.saveEntries(toldInside(entries, inside));
  await facts.notifications.addPending(decisions.pending);
  await facts.notifications.saveEntries(decisions.entries);
  await facts.notifications.saveFlushes(decisions.flushes);
  await facts.alerts.addEvents(projectId, decisions.events);
  await wakeMuted(facts, parts.notifyConfig, projectId, alerts, now);
  return decisions.pending;
}

/** What is decided about: an incident in the place of its alerts. `inside` are those that its message shows. */
export async function withIncidents(
  facts: {
    readonly incidents: Pick<Facts["incidents"], "ofAlerts" | "members">;
    readonly alerts: Pick<Facts["alerts"], "findMany">;
  },
  projectId: string,
  alerts: readonly Alert[],
): Promise<{
  readonly subjects: readonly Alert[];
  readonly incidents: ReadonlyMap<string, IncidentAlerts>;
  readonly inside: readonly Alert[];
}> {
  const incidentOf = await facts.incidents.ofAlerts(
    projectId,
    alerts.map(({ id }) => id),
  );
  if (incidentOf.size === 0) return { subjects: alerts, incidents: new Map(), inside: [] };
  const found = new Map([...incidentOf.values()].map((incident) => [incident.id, incident]));
  const memberships = await facts.incidents.members(projectId, [...found.keys()]);
  const known = await facts.alerts.findMany(
    projectId,
    memberships.map(({ alertId }) => alertId),
  );
  const byId = new Map(known.map((alert) => [alert.id, alert]));
  const incidents = new Map<string, IncidentAlerts>();
  const subjects = alerts.filter(({ id }) => !incidentOf.has(id));
  for (const incident of found.values()) {
    const members = memberships.flatMap(({ alertId, incidentId }) =>
      incidentId === incident.id ? (byId.get(alertId) ?? []) : [],
    );
    const subject = incidentAsAlert(incident, members);
    if (subject === null) continue;
    subjects.push(subject);
    incidents.set(subject.id, { members, isWatched: isCalm(incident) });
  }
  return { subjects, incidents, inside: alerts.filter(({ id }) => incidentOf.has(id) && !incidents.has(id)) };
}

/** Nothing is decided about them any more. */
export function toldInside(entries: readonly ReceiverEntry[], inside: readonly Alert[]): ReceiverEntry[] {
  const ids = new Set(inside.map(({ id }) => id));
  return entries
    .filter(({ alertId, nextAt }) => nextAt !== null && ids.has(alertId))
    .map((one) => ({ ...one, nextAt: null, entry: { ...(one.entry as object), last: "InIncident" } }));
}

/**
 * Other alerts whose repeat is due, whose quiet hours have ended, or that wait for a combined message with one of the
 * query. Call it after the query's windows are evaluated: before that, a resolved alert may still look open.
 */
export function alertsToReconsider(
  facts: Facts,
  { projectId, queryId }: Query,
  transitions: readonly Alert[],
): (now: Instant) => Promise<readonly Alert[]> {
  return async (now) => {
    const isDue = await facts.notifications.alertsToReconsider(projectId, queryId, now);
    if (isDue.length === 0) return [];
    // Another holder of the lock may have decided these already, so they are read again under it.
    await facts.notifications.lockNotifications(projectId);
    const due = await facts.notifications.alertsToReconsider(projectId, queryId, now);
    const known = new Set(transitions.map((alert) => alert.id));
    return facts.alerts.findMany(
      projectId,
      due.filter((id) => !known.has(id)),
    );
  };
}

async function notifyStateOf(
  facts: Facts,
  notifyConfig: NotifyConfig,
  projectId: string,
  now: Instant,
): Promise<NotifyState> {
  const { inhibitions, routes } = notifyConfig;
  return {
    recent: await recentNotifications(facts, notifyConfig, now),
    flushes: routes.some(hasGroups) ? await facts.notifications.flushes(projectId) : [],
    context: {
      silences: await facts.silences.active(now),
      inhibitions,
      open: inhibitions.length > 0 ? await facts.alerts.inhibitorsOfProject(projectId) : [],
    },
  };
}

/**
 * The end of a more severe alert may lift the inhibition of others, of other queries too: decide those again at once.
 */
async function wakeMuted(
  facts: Facts,
  { inhibitions }: NotifyConfig,
  projectId: string,
  alerts: readonly Alert[],
  now: Instant,
): Promise<void> {
  const hasEnded = alerts.some((alert) => alert.resolvedAt !== null && isInhibitor(inhibitions, alert));
  if (hasEnded) await facts.notifications.wake(projectId, "HeldByInhibition", now);
}

function hasGroups({ group, routes }: RouteConfig): boolean {
  return group !== null || routes.some(hasGroups);
}

async function recentNotifications(
  facts: Facts,
  notifyConfig: NotifyConfig,
  now: Instant,
): Promise<RecentNotifications> {
  const { throttled } = notifyConfig;
  const since = new Map(throttled.map(({ name, throttle }) => [name, now - throttle.perMs]));
  return groupBy(await facts.notifications.decidedSince(since), ({ receiver }) => receiver);
}
