import type { Instant } from "../../lib/instant.ts";
import type { Alert } from "../../model/alert.ts";
import type { LastNotified } from "./batch.ts";

/** What the table keeps of an alert and a receiver. */
export interface Entry {
  readonly lastNotified: LastNotified | null;
  /** The reason of the last decision, so that the history is told of changes only. */
  readonly last: string;
  /** Since when the receiver hears, or would hear, that the alert calls: where steps of an escalation count from. */
  readonly since?: Instant;
}

/** Since when it calls, as far as this receiver goes; null while it does not, or could not be heard. */
export function sinceOf(alert: Alert, before: Entry | undefined, now: Instant): Instant | null {
  if (alert.state !== "firing") return before?.since ?? null;
  return isOfThisCall(alert, before) ? before.since : now;
}

/** When somebody was first to be told that it calls; now, where nobody was. */
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
