import {
  type Alert,
  compareSeverity,
  decideNotifications,
  type Entry,
  type GroupFlush,
  isInhibitor,
  type NotifyConfig,
  type NotifyState,
  type PendingNotification,
  type ReceiverEntry,
  type RecentNotifications,
  toldInside,
  withIncidents,
} from "#monitor";
import { DAY, type Instant, SECOND } from "../../lib/instant.ts";
import { createDueQueue } from "./due-queue.ts";
import type { SimulatedFacts } from "./simulated-facts.ts";

/** A decision not to send now, or not at all; noted when its reason changes. */
export interface WithheldNotification {
  readonly at: Instant;
  readonly alertId: string;
  readonly receiver: string;
  /** `HeldByThrottle`, `ResolvedUnannounced`, … */
  readonly reason: string;
}

/** The alerts and incidents of all queries, as far as decisions need them. */
interface AlertTable extends Pick<SimulatedFacts, "incidents" | "alerts"> {
  find(id: string): Alert | undefined;
  openOfProject(projectId: string): readonly Alert[];
}

/** What each receiver was notified of, in memory. Nobody acts on an alert, and there are no silences. */
interface SimulatedNotifications {
  readonly sent: readonly PendingNotification[];
  readonly withheld: readonly WithheldNotification[];
  /** Decides for alerts of one project. */
  decide(projectId: string, alerts: readonly Alert[], now: Instant): Promise<void>;
  /** Alerts with a decision that is due, and those that wait for the same combined message, by query. */
  due(now: Instant): ReadonlyMap<string, readonly Alert[]>;
  /** When the next decision without new evidence is due; null if none is. */
  nextAt(): Instant | null;
}

/** Held to be combined with others in one message. */
const TOGETHER: ReadonlySet<string> = new Set(["HeldByGroup", "HeldByThrottle"]);

/** Decisions without news: everybody knows already, or nobody is to know yet. */
const ROUTINE: ReadonlySet<string> = new Set([
  "NothingNew",
  "NoNewEvidence",
  "StillPending",
  "NeverFired",
  "EscalationWaits",
]);

export function createSimulatedNotifications(
  config: NotifyConfig,
  table: AlertTable,
): SimulatedNotifications {
  const sent: PendingNotification[] = [];
  const withheld: WithheldNotification[] = [];
  const entries = new Map<string, Map<string, ReceiverEntry>>();
  const queue = createDueQueue<ReceiverEntry>(
    (entry) => entries.get(entry.alertId)?.get(entry.receiver) === entry,
  );
  /** Alerts held for a combined message, by project and receiver. */
  const together = new Map<string, Set<string>>();
  const flushes = new Map<string, GroupFlush>();
  const recent = new Map<string, { readonly at: Instant; readonly alertId: string }[]>();

  function put(entry: ReceiverEntry, now: Instant): void {
    const perReceiver = entries.get(entry.alertId) ?? new Map<string, ReceiverEntry>();
    entries.set(entry.alertId, perReceiver);
    const before = lastOf(perReceiver.get(entry.receiver));
    const last = lastOf(entry);
    perReceiver.set(entry.receiver, entry);
    // A decision that is due at once again would never let time pass.
    if (entry.nextAt !== null) queue.add(Math.max(entry.nextAt, now + SECOND), entry);
    const key = keyOf(entry);
    if (TOGETHER.has(last) && entry.nextAt !== null)
      together.set(key, (together.get(key) ?? new Set()).add(entry.alertId));
    else together.get(key)?.delete(entry.alertId);
    if (last !== before && !ROUTINE.has(last) && !isSent(entry, now))
      withheld.push({ at: now, alertId: entry.alertId, receiver: entry.receiver, reason: last });
  }

  function recentOf(now: Instant): RecentNotifications {
    return new Map(
      config.throttled.map(({ name, throttle }) => {
        const sentLately = (recent.get(name) ?? []).filter(({ at }) => at >= now - throttle.perMs);
        recent.set(name, sentLately);
        return [
          name,
          sentLately.map(({ at, alertId }) => ({ at, severity: table.find(alertId)?.severity ?? "info" })),
        ];
      }),
    );
  }

  function stateOf(projectId: string, now: Instant): NotifyState {
    const { inhibitions } = config;
    const open = inhibitions.length === 0 ? [] : table.openOfProject(projectId).toSorted(byWorth);
    return {
      recent: recentOf(now),
      flushes: [...flushes.values()].filter((flush) => flush.projectId === projectId),
      context: { silences: [], inhibitions, open },
    };
  }

  /** The end of a more severe alert may release what it muted. */
  function wakeMuted(projectId: string, alerts: readonly Alert[], now: Instant): void {
    if (!alerts.some((alert) => alert.resolvedAt !== null && isInhibitor(config.inhibitions, alert))) return;
    for (const perReceiver of entries.values())
      for (const entry of perReceiver.values()) {
        const isMuted = entry.projectId === projectId && lastOf(entry) === "HeldByInhibition";
        if (isMuted && entry.nextAt !== null && entry.nextAt > now) put({ ...entry, nextAt: now }, now);
      }
  }

  return {
    sent,
    withheld,
    decide: async (projectId, alerts, now) => {
      if (alerts.length === 0) return;
      const { subjects, incidents, inside } = await withIncidents(table, projectId, alerts);
      const entriesOf = (of: readonly Alert[]) =>
        of.flatMap(({ id }) => [...(entries.get(id)?.values() ?? [])]);
      for (const entry of toldInside(entriesOf(inside), inside)) put(entry, now);
      const state = { ...stateOf(projectId, now), incidents };
      const decided = decideNotifications(subjects, entriesOf(subjects), config, now, state);
      for (const notification of decided.pending) {
        sent.push(notification);
        const { receiver, alertId } = notification;
        const sentLately = recent.get(receiver) ?? [];
        recent.set(receiver, sentLately);
        if (alertId !== null) sentLately.push({ at: now, alertId });
      }
      for (const flush of decided.flushes) flushes.set(`${keyOf(flush)}\u0000${flush.key}`, flush);
      if (decided.flushes.length > 0)
        for (const [key, { at }] of flushes) if (at < now - 7 * DAY) flushes.delete(key);
      for (const entry of decided.entries) put(entry, now);
      wakeMuted(projectId, alerts, now);
    },
    due: (now) => {
      const due = queue.take(now);
      const ids = new Set<string>();
      for (const entry of due) {
        ids.add(entry.alertId);
        if (TOGETHER.has(lastOf(entry))) for (const id of together.get(keyOf(entry)) ?? []) ids.add(id);
      }
      const byQuery = new Map<string, Alert[]>();
      for (const id of ids) {
        const alert = table.find(id);
        if (alert === undefined) continue;
        const key = queryKey(alert);
        byQuery.set(key, [...(byQuery.get(key) ?? []), alert]);
      }
      return byQuery;
    },
    nextAt: () => queue.nextAt(),
  };
}

export function queryKey({ projectId, queryId }: { readonly projectId: string; readonly queryId: string }) {
  return `${projectId}\u0000${queryId}`;
}

function keyOf({ projectId, receiver }: { readonly projectId: string; readonly receiver: string }): string {
  return `${projectId}\u0000${receiver}`;
}

function lastOf(entry: ReceiverEntry | undefined): string {
  return (entry?.entry as Entry | undefined)?.last ?? "";
}

function isSent({ entry }: ReceiverEntry, now: Instant): boolean {
  return (entry as Entry).lastNotified?.at === now;
}

function byWorth(a: Alert, b: Alert): number {
  return compareSeverity(b.severity, a.severity) || a.openedAt - b.openedAt;
}
