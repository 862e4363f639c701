import { HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import type { HourCount, Incident } from "../model/incident.ts";
import { type Bucket, countIn } from "./incident-life.ts";

/** Counted from the mentions of [from, to), by their own time. */
export interface CountsOfIncident extends HourCount {
  readonly from: Instant;
  readonly to: Instant;
  readonly most: { readonly count: number; readonly until: Instant } | null;
}

/** From when to when an incident is counted: from the hour in which it began until it calmed down, or until now. */
export function spanOf(
  incident: Incident,
  windowFrom: Instant,
): { readonly from: Instant; readonly to: Instant } {
  const from = Math.max(Math.min(windowFrom, incident.openedAt), incident.openedAt - HOUR);
  return { from, to: Math.max(incident.calmSince ?? incident.checkedUntil, incident.openedAt) };
}

/** What is said of an incident in numbers. Late mentions are in, and deleted ones out: it is counted each time. */
export function countIncident(
  { measure }: Incident,
  buckets: readonly Bucket[],
  { from, to }: { readonly from: Instant; readonly to: Instant },
): CountsOfIncident {
  let most: CountsOfIncident["most"] = null;
  for (const { at } of buckets) {
    const until = at + 5 * MINUTE;
    const count = countIn(buckets, Math.max(from, until - HOUR), Math.min(until, to))[measure];
    if (count > (most?.count ?? 0)) most = { count, until };
  }
  return { from, to, ...countIn(buckets, from, to), most };
}
