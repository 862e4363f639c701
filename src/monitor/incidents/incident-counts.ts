import { HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import type { Incident, IncidentCounts } from "../model/incident.ts";
import { type Bucket, calmFrom, countIn } from "./incident-life.ts";

/** From when to when an incident is counted: from the window that began it until it calmed down, or until now. */
export function spanOf(incident: Incident): { readonly from: Instant; readonly to: Instant } {
  const { countedFrom, checkedUntil, openedAt } = incident;
  return { from: countedFrom, to: Math.max(calmFrom(incident) ?? checkedUntil, openedAt) };
}

/** What is said of an incident in numbers. Late mentions are in, and deleted ones out: it is counted each time. */
export function countIncident(
  { measure, checkedUntil }: Incident,
  buckets: readonly Bucket[],
  { from, to }: { readonly from: Instant; readonly to: Instant },
): IncidentCounts {
  let most: IncidentCounts["most"] = null;
  for (const { at } of buckets) {
    if (at >= to) break;
    const until = at + 5 * MINUTE;
    const count = countIn(buckets, Math.max(from, until - HOUR), Math.min(until, to))[measure];
    if (count > (most?.count ?? 0)) most = { count, until };
  }
  return {
    from,
    to,
    ...countIn(buckets, from, to),
    most,
    lastHour: countIn(buckets, checkedUntil - HOUR, checkedUntil),
  };
}
