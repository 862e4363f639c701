import type { Clock } from "../lib/clock.ts";
import type { Instant } from "../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import type { PendingNotification } from "../model/notification.ts";
import type { Query } from "../model/query.ts";
import {
  decideNotifications,
  type NotifyConfig,
  type NotifyState,
  type RecentNotifications,
} from "../notify/decide-notifications.ts";
import { isInhibitor } from "../notify/inhibition.ts";
import type { RouteConfig } from "../notify/route.ts";
import type { IngestFacts } from "./ports.ts";

/**
 * Decides what is owed to whom for alerts that moved, and writes it in the transaction of the caller, who holds the lock
 * of their query. `waiting` names others whose time has come: they are asked for under the lock of telling, which keeps
 * them still although they may be of other queries. Returns what is now owed.
 */
export async function recordNotifications(
  facts: IngestFacts,
  parts: { readonly directory: NotifyConfig; readonly clock: Clock },
  { projectId }: Query,
  moved: readonly Alert[],
  waiting: (now: Instant) => Promise<readonly Alert[]> = async () => [],
): Promise<readonly PendingNotification[]> {
  const now = parts.clock.now();
  if (moved.length > 0) await facts.notifications.lockTelling(projectId);
  const alerts = [...moved, ...(await waiting(now))];
  if (alerts.length === 0) return [];
  const entries = await facts.notifications.entries(
    projectId,
    alerts.map((alert) => alert.id),
  );
  const standing = await notifyStateOf(facts, parts.directory, projectId, now);
  const telling = decideNotifications(alerts, entries, parts.directory, now, standing);
  await facts.notifications.owe(telling.owed);
  await facts.notifications.saveEntries(telling.entries);
  await facts.notifications.saveFlushes(telling.flushes);
  await facts.alerts.addEvents(projectId, telling.events);
  await wakeMuted(facts, parts.directory, projectId, alerts, now);
  return telling.owed;
}

/**
 * Other alerts whose repeat or quiet hours are over, or that wait to be told together with one of the query. To be asked
 * once its windows are judged: before that an alert may look as if it went on that has ended.
 */
export function alertsToReconsider(
  facts: IngestFacts,
  { projectId, queryId }: Query,
  moved: readonly Alert[],
): (now: Instant) => Promise<readonly Alert[]> {
  return async (now) => {
    const isDue = await facts.notifications.alertsToReconsider(projectId, queryId, now);
    if (isDue.length === 0) return [];
    // What is due may have been told since, by whoever held the lock: it is asked for again behind it.
    await facts.notifications.lockTelling(projectId);
    const due = await facts.notifications.alertsToReconsider(projectId, queryId, now);
    const known = new Set(moved.map((alert) => alert.id));
    return facts.alerts.findMany(
      projectId,
      due.filter((id) => !known.has(id)),
    );
  };
}

async function notifyStateOf(
  facts: IngestFacts,
  directory: NotifyConfig,
  projectId: string,
  now: Instant,
): Promise<NotifyState> {
  const { inhibitions, routes } = directory;
  return {
    recent: await recentNotifications(facts, directory, now),
    flushes: routes.some(hasGroups) ? await facts.notifications.flushes(projectId) : [],
    around: {
      silences: await facts.silences.standing(now),
      inhibitions,
      open: inhibitions.length > 0 ? await facts.alerts.openOfProject(projectId) : [],
    },
  };
}

/** A graver alert that is over may have muted others, of other queries too: those are decided again at once. */
async function wakeMuted(
  facts: IngestFacts,
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
  facts: IngestFacts,
  directory: NotifyConfig,
  now: Instant,
): Promise<RecentNotifications> {
  const recent = new Map<string, NonNullable<ReturnType<RecentNotifications["get"]>>>();
  for (const { name, throttle } of directory.throttled) {
    recent.set(name, await facts.notifications.decidedSince(name, now - throttle.perMs));
  }
  return recent;
}
