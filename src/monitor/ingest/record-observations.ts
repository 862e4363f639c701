import type { Alert } from "../model/alert.ts";
import type { Mention } from "../model/mention.ts";
import type { Query } from "../model/query.ts";
import type { Facts } from "../store/stores.ts";
import { type AlertObservation, applyObservations, callsOf } from "./apply-observations.ts";
import { type FloodLimit, openFloodGate } from "./hold-floods.ts";

/** What observations changed. */
export interface RecordedObservations {
  readonly changed: readonly Alert[];
  /** Those that fired, fired again or became more severe, by id, with the mentions that met their rules. */
  readonly calling: ReadonlyMap<string, readonly Mention[]>;
}

/**
 * Applies observations of one query, in order of time, to the alerts' life cycle and writes the result. The caller holds the query's lock, so nothing else can change them meanwhile.
 */
export async function recordObservations(
  alerts: Facts["alerts"],
  query: Query,
  observations: readonly AlertObservation[],
  floods: FloodLimit | null = null,
): Promise<RecordedObservations> {
  if (observations.length === 0) return { changed: [], calling: new Map() };
  const fingerprints = [...new Set(observations.map((one) => one.fingerprint))];
  const known = await alerts.latest(query.projectId, fingerprints);
  const gate = floods === null ? null : await openFloodGate(floods, query, observations, known);
  const { changed, events, matches } = applyObservations(query, observations, known, gate?.admits);
  await Promise.all([
    gate?.write(),
    alerts.save(changed),
    alerts.addMatches(query.projectId, matches),
    alerts.addEvents(query.projectId, events),
  ]);
  return { changed, calling: callsOf({ events, matches }) };
}
