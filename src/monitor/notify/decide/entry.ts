import type { Instant } from "../../../lib/instant.ts";
import type { Alert } from "../../model/alert.ts";
import type { LastNotified } from "./batch.ts";

/** What the table keeps of an alert and a receiver. */
export interface Entry {
  readonly lastNotified: LastNotified | null;
  /** The reason of the last decision. The history only notes a decision whose reason differs. */
  readonly last: string;
  /** What caused it, for people who ask why: `silence by ann: release day`. */
  readonly by?: string;
  /** Since when the alert needs attention and the receiver could be notified: escalation steps count from here. */
  readonly since?: Instant;
}

/** Since when the alert needs attention, for this receiver; null while it does not, or is muted. */
export function sinceOf(alert: Alert, before: Entry | undefined, now: Instant): Instant | null {
  if (alert.state !== "firing") return before?.since ?? null;
  return isOfThisCall(alert, before) ? before.since : now;
}

/** When the first receiver could be notified that the alert needs attention; `now` if none could. */
export function callingSince(alert: Alert, entries: Iterable<Entry>, now: Instant): Instant {
  let earliest = now;
  for (const entry of entries) {
    if (isOfThisCall(alert, entry)) earliest = Math.min(earliest, entry.since);
  }
  return earliest;
}

function isOfThisCall(alert: Alert, entry: Entry | undefined): entry is Entry & { since: Instant } {
  return entry?.since !== undefined && entry.since >= (alert.handling?.callingSince ?? alert.openedAt);
}
