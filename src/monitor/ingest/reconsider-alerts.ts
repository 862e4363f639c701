import { BUCKET_MS } from "../model/judging.ts";
import type { PendingNotification } from "../model/notification.ts";
import { OWN_QUERY, type WatchedQuery } from "../model/query.ts";
import type { Facts } from "../store/stores.ts";
import type { CloseWindowsParts } from "./close-windows.ts";
import { alertsToReconsider, recordNotifications } from "./record-notifications.ts";

type ReconsiderResult =
  | { readonly outcome: "Decided"; readonly pending: readonly PendingNotification[] }
  /** Nothing was decided: the job that closes the windows may end these alerts, and decides then. */
  | { readonly outcome: "WindowsFirst" }
  | { readonly outcome: "QueryGone" };

/**
 * Makes the notification decisions of a query that are due, in one transaction under the lock of the query: after an
 * action of a person, or because a repeat, an escalation or the end of a silence has come.
 */
export async function reconsiderAlerts(
  parts: Pick<CloseWindowsParts, "store" | "notifyConfig" | "clock">,
  job: { readonly projectId: string; readonly queryId: string },
): Promise<ReconsiderResult> {
  return parts.store.transaction(async (facts) => {
    const query = await facts.queries.lock(job.projectId, job.queryId);
    if (query === null) return { outcome: "QueryGone" };
    if (await hasWindowsDue(facts, query)) return { outcome: "WindowsFirst" };
    const waiting = alertsToReconsider(facts, query, []);
    return { outcome: "Decided", pending: await recordNotifications(facts, parts, query, [], waiting) };
  });
}

/** The sweep adds a job for exactly these, see `windowsDue`. */
async function hasWindowsDue(facts: Facts, { projectId, queryId, ...query }: WatchedQuery): Promise<boolean> {
  // Earshot's own query is never polled.
  if (queryId === OWN_QUERY.queryId) return false;
  if (!query.isWatched) {
    const [alerts, incidents] = await Promise.all([
      facts.alerts.openOfQuery(projectId, queryId),
      facts.incidents.openOfQuery(projectId, queryId),
    ]);
    return alerts.length + incidents.length > 0;
  }
  const completeUntil = await facts.polls.completeUntil(projectId, queryId);
  return completeUntil !== null && completeUntil >= query.tickedUntil + BUCKET_MS;
}
