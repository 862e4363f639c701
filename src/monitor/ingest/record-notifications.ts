import type { Clock } from "../../lib/clock.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Instant } from "../../lib/instant.ts";
import { asOne } from "../incidents/cause.ts";
import { incidentAsAlert } from "../incidents/incident-as-alert.ts";
import { isCalm } from "../incidents/incident-life.ts";
import type { Alert } from "../model/alert.ts";
import type { Incident } from "../model/incident.ts";
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
  const [{ subjects, incidents, inside }, state] = await Promise.all([
    withIncidents(facts, projectId, alerts),
    notifyStateOf(facts, parts.notifyConfig, projectId, now),
  ]);
  const entries = await facts.notifications.entries(
    projectId,
    [...subjects, ...inside].map((alert) => alert.id),
  );
  const decisions = decideNotifications(subjects, entries, parts.notifyConfig, now, { ...state, incidents });
  await Promise.all([
    facts.notifications.saveEntries(toldInside(entries, inside)),
    facts.notifications.addPending(decisions.pending),
    facts.notifications.saveEntries(decisions.entries),
    facts.notifications.saveFlushes(decisions.flushes),
    facts.alerts.addEvents(projectId, decisions.events),
  ]);
  await wakeMuted(facts, parts.notifyConfig, projectId, alerts, now);
  return decisions.pending;
}

/**
 * What is decided about: an incident in the place of its alerts, and of those of its parts. `inside` are those that its
 * message shows.
 */
export async function withIncidents(
  facts: {
    readonly incidents: Pick<Facts["incidents"], "wholes" | "members">;
    readonly alerts: Pick<Facts["alerts"], "findMany">;
  },
  projectId: string,
  alerts: readonly Alert[],
): Promise<{
  readonly subjects: readonly Alert[];
  readonly incidents: ReadonlyMap<string, IncidentAlerts>;
  readonly inside: readonly Alert[];
}> {
  const wholeOf = await facts.incidents.wholes(
    projectId,
    alerts.map(({ id }) => id),
  );
  if (wholeOf.size === 0) return { subjects: alerts, incidents: new Map(), inside: [] };
  const found = new Map([...wholeOf.values()].map((whole) => [whole.incident.id, whole]));
  const memberships = await facts.incidents.members(
    projectId,
    [...found.values()].flatMap(({ incident, parts }) => [incident, ...parts].map(({ id }) => id)),
  );
  const known = await facts.alerts.findMany(
    projectId,
    memberships.map(({ alertId }) => alertId),
  );
  const byId = new Map(known.map((alert) => [alert.id, alert]));
  const membersOf = ({ id }: Incident) =>
    memberships.flatMap(({ alertId, incidentId }) => (incidentId === id ? (byId.get(alertId) ?? []) : []));
  const incidents = new Map<string, IncidentAlerts>();
  const subjects = alerts.filter(({ id }) => !wholeOf.has(id));
  for (const whole of found.values()) {
    const subject = incidentAsAlert(asOne(whole), membersOf(whole.incident));
    if (subject === null) continue;
    const all = [whole.incident, ...whole.parts];
    subjects.push(subject);
    incidents.set(subject.id, { members: all.flatMap(membersOf), isWatched: all.every(isQuiet) });
  }
  return { subjects, incidents, inside: alerts.filter(({ id }) => wholeOf.has(id) && !incidents.has(id)) };
}

/** Nobody is reminded of it. One that is over waits for the others of its cause. */
function isQuiet(incident: Incident): boolean {
  return incident.status === "over" || isCalm(incident);
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
  const [recent, flushes, silences, open] = await Promise.all([
    recentNotifications(facts, notifyConfig, now),
    routes.some(hasGroups) ? facts.notifications.flushes(projectId) : [],
    facts.silences.active(now),
    inhibitions.length > 0 ? facts.alerts.inhibitorsOfProject(projectId) : [],
  ]);
  return { recent, flushes, context: { silences, inhibitions, open } };
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
