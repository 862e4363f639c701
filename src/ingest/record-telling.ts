import type { Clock } from "../lib/clock.ts";
import type { Instant } from "../lib/instant.ts";
import type { Alert } from "../model/alert.ts";
import type { OwedNotification } from "../model/notification.ts";
import type { Query } from "../model/query.ts";
import { type Directory, type RecentlyTold, tellAbout } from "../notify/tell.ts";
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
  const recent = await recentlyTold(facts, parts.directory, now);
  const telling = tellAbout(alerts, entries, parts.directory, recent, now);
  await facts.notifications.owe(telling.owed);
  await facts.notifications.saveEntries(telling.entries);
  await facts.alerts.addEvents(query.projectId, telling.events);
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

async function recentlyTold(facts: IngestFacts, directory: Directory, now: Instant): Promise<RecentlyTold> {
  const recent = new Map<string, readonly Instant[]>();
  for (const { name, throttle } of directory.throttled) {
    recent.set(name, await facts.notifications.decidedSince(name, now - throttle.perMs));
  }
  return recent;
}
