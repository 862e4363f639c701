import type { Instant } from "../../../lib/instant.ts";
import { uuid7 } from "../../../lib/uuid7.ts";
import type { Alert } from "../../model/alert.ts";
import type { AlertEvent } from "../../model/alert-action.ts";
import type { PendingNotification, ReceiverEntry } from "../../model/notification.ts";
import type { LastNotified } from "./batch.ts";
import type { DecidedCandidate, Decision } from "./decision.ts";
import { type Entry, sinceOf } from "./entry.ts";

/** Turns the decisions for one receiver into rows: pending notifications, its entries, and events of the histories. */
export function writeDecisions(
  receiver: string,
  decided: readonly DecidedCandidate[],
  before: ReadonlyMap<string, Entry | undefined>,
  mutedUntil: (alert: Alert) => Instant | null,
  now: Instant,
): { pending: PendingNotification[]; entries: ReceiverEntry[]; events: AlertEvent[] } {
  const bundles = bundlesOf(decided);
  const pending: PendingNotification[] = [];
  const entries: ReceiverEntry[] = [];
  const events: AlertEvent[] = [];
  for (const { candidate, decision } of decided) {
    const { alert, lastNotified } = candidate;
    const { projectId, id: alertId } = alert;
    const known = before.get(alertId);
    const isNotified = decision.do === "send";
    const until = mutedUntil(alert);
    const since = until === null ? sinceOf(alert, known, now) : null;
    const entry: Entry = {
      lastNotified: isNotified ? decision.lastNotified : endedQuietly(decision, lastNotified),
      last: decision.reason,
      by: decision.by,
      ...(since !== null && { since }),
    };
    // A later step waits for nothing that would decide again when the mute ends, and counts from then.
    const waits = decision.reason === "EscalationWaits" && until !== null && decision.nextAt !== null;
    const nextAt = waits ? Math.min(until, decision.nextAt) : decision.nextAt;
    entries.push({ projectId, alertId, receiver, entry, nextAt });
    if (isNotified && decision.with === null)
      pending.push(toPending(alert, receiver, decision, bundles.get(alertId)?.also ?? [], now));
    if (isNotified || decision.reason !== known?.last)
      events.push({ alertId, at: now, what: decision.reason, detail: detailOf(receiver, decision, bundles) });
  }
  return { pending, entries, events };
}

/** That it ended was not sent, and counts as known: if it comes back, that is news. */
function endedQuietly({ reason }: Decision, before: LastNotified | null): LastNotified | null {
  const isQuiet = reason === "EndNeedsNobody" || reason === "ResolveNotWanted";
  return isQuiet && before !== null ? { ...before, ended: true } : before;
}

/** Alerts whose message carries others, with those others, the most important first. */
type Bundles = ReadonlyMap<string, { readonly name: string; readonly also: readonly string[] }>;

function bundlesOf(decided: readonly DecidedCandidate[]): Bundles {
  const bundles = new Map<string, { name: string; also: string[] }>();
  for (const { candidate, decision } of decided) {
    if (decision.do !== "send") continue;
    const { id, queryName, rule } = candidate.alert;
    if (decision.with === null) bundles.set(id, { name: `${queryName}, ${rule}`, also: [] });
    // The leading alert comes before the alerts that its message carries.
    else bundles.get(decision.with)?.also.push(id);
  }
  return bundles;
}

function detailOf(receiver: string, decision: Decision, bundles: Bundles): string {
  const leader = decision.do === "send" && decision.with !== null ? bundles.get(decision.with) : undefined;
  const within = leader === undefined ? "" : `, in the message about ${leader.name}`;
  // The reason alone is ambiguous: states of alerts and reasons of notifications share names.
  return `${receiver}${decision.do === "send" ? " is notified" : ""} (${decision.by}${within})`;
}

function toPending(
  alert: Alert,
  receiver: string,
  { kind, reason }: Extract<Decision, { do: "send" }>,
  also: readonly string[],
  now: Instant,
): PendingNotification {
  return {
    id: uuid7(now),
    projectId: alert.projectId,
    receiver,
    kind,
    alertId: alert.id,
    digest: null,
    createdAt: now,
    reason,
    ...(also.length > 0 && { also }),
  };
}
