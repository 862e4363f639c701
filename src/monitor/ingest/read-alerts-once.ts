import type { Alert } from "../model/alert.ts";
import type { Facts } from "../store/stores.ts";

/**
 * The facts of a transaction in which each alert is read by its id at most once. All alerts of an incident are asked for by
 * what joins it, and again by what decides its message: of one with ten thousand that was most of what a page cost. For
 * after the transaction has written its own alerts, under the lock of their query.
 */
export function readAlertsOnce(facts: Facts): Facts {
  const known = new Map<string, Alert>();
  const findMany: Facts["alerts"]["findMany"] = async (projectId, ids) => {
    const missing = ids.filter((id) => !known.has(id));
    for (const alert of await facts.alerts.findMany(projectId, missing)) known.set(alert.id, alert);
    return [...new Set(ids)].flatMap((id) => known.get(id) ?? []);
  };
  return { ...facts, alerts: { ...facts.alerts, findMany } };
}
