import type { Alert } from "../model/alert.ts";
import type { Query } from "../model/query.ts";
import type { Facts } from "../store/stores.ts";
import { type AlertObservation, applyObservations } from "./apply-observations.ts";

/**
 * Applies observations of one query, in order of time, to the alerts' life cycle and writes the result. Returns the
 * alerts that changed. The caller holds the query's lock, so nothing else can change them meanwhile.
 */
export async function recordObservations(
  alerts: Facts["alerts"],
  query: Query,
  observations: readonly AlertObservation[],
): Promise<readonly Alert[]> {
  if (observations.length === 0) return [];
  const fingerprints = [...new Set(observations.map((one) => one.fingerprint))];
  const known = await alerts.latest(query.projectId, fingerprints);
  const { changed, events, matches } = applyObservations(query, observations, known);
  await alerts.save(changed);
  await alerts.addMatches(query.projectId, matches);
  await alerts.addEvents(query.projectId, events);
  return changed;
}
