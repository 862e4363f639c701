import type { Clock } from "../lib/clock.ts";
import type { Instant } from "../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import type { OwedNotification } from "../model/notification.ts";
import type { Query } from "../model/query.ts";
import { isInhibitor } from "../notify/inhibition.ts";
import type { RouteConfig } from "../notify/route.ts";
import { type Directory, type RecentlyTold, type Standing, tellAbout } from "../notify/tell.ts";
import type { IngestFacts } from "./ports.ts";

/**
 * Decides what is owed to whom for these alerts of a query, and writes it in the transaction of the caller, who holds
 * the query's lock. Returns what is now owed.
 */
export async function recordTelling(
  facts: IngestFacts,
  parts: { readonly directory: Directory; readonly clock: Clock },
  query: Query,
  alerts: readonly Alert[],
): Promise<readonly OwedNotification[]> {
  const now = parts.clock.now();
  if (alerts.length === 0) return [];
  const entries = await facts.notifications.entries(
    query.projectId,
    alerts.map((alert) => alert.id),
  );
  const standing = await standingOf(facts, parts.directory, query, now);
  const telling = tellAbout(alerts, entries, parts.directory, now, standing);
  await facts.notifications.owe(telling.owed);
  await facts.notifications.saveEntries(telling.entries);
  await facts.notifications.saveFlushes(telling.flushes);
  await facts.alerts.addEvents(query.projectId, telling.events);
  await wakeMuted(facts, parts.directory, query, alerts, now);
  return telling.owed;
}

/**
 * Other alerts of the query whose repeat or quiet hours are over. To be asked once its windows are judged: before that
 * an alert may look as if it went on that has ended.
 */
export async function alertsToReconsider(
  facts: IngestFacts,
  query: Query,
  moved: readonly Alert[],
  now: Instant,
): Promise<Alert[]> {
  const due = await facts.notifications.alertsToReconsider(query.projectId, query.queryId, now);
  const others = due.filter((id) => !moved.some((alert) => alert.id === id));
  const found = await Promise.all(others.map((id) => facts.alerts.find(query.projectId, id)));
  return found.filter((alert) => alert !== null);
}

async function standingOf(
  facts: IngestFacts,
  directory: Directory,
  { projectId, queryId }: Query,
  now: Instant,
): Promise<Standing> {
  const { inhibitions, routes } = directory;
  return {
    recent: await recentlyTold(facts, directory, now),
    flushes: routes.some(hasGroups) ? await facts.notifications.flushes(projectId, queryId) : [],
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
  { inhibitions }: Directory,
  { projectId }: Query,
  alerts: readonly Alert[],
  now: Instant,
): Promise<void> {
  const hasEnded = alerts.some((alert) => alert.resolvedAt !== null && isInhibitor(inhibitions, alert));
  if (hasEnded) await facts.notifications.wake(projectId, "HeldByInhibition", now);
}

function hasGroups({ group, routes }: RouteConfig): boolean {
  return group !== null || routes.some(hasGroups);
}

async function recentlyTold(facts: IngestFacts, directory: Directory, now: Instant): Promise<RecentlyTold> {
  const recent = new Map<string, readonly Instant[]>();
  for (const { name, throttle } of directory.throttled) {
    recent.set(name, await facts.notifications.decidedSince(name, now - throttle.perMs));
  }
  return recent;
}
