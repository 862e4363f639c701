import type { Instant } from "../lib/instant.ts";
import { uuid7 } from "../lib/uuid7.ts";
import type { Alert } from "../model/alert.ts";
import type { AlertEvent } from "../model/alert-event.ts";
import type { OwedNotification, ReceiverEntry } from "../model/notification.ts";
import { audience } from "./audience.ts";
import type { ReceiverTerms, Told } from "./batch.ts";
import { type Decision, decide } from "./decision.ts";
import { type RouteConfig, type Routing, routeAlert } from "./route.ts";
import type { Throttle } from "./throttle.ts";

/** Who may be told of what, from the configuration. */
export interface Directory {
  readonly routes: readonly RouteConfig[];
  /** Undefined for a receiver that the configuration does not know (any more). */
  receiver(name: string): Omit<ReceiverTerms, "recent"> | undefined;
  /** Those among them that are told only so much in a time. */
  readonly throttled: readonly { readonly name: string; readonly throttle: Throttle }[];
}

/** What is written in the transaction that moved the alerts. */
export interface Telling {
  readonly owed: readonly OwedNotification[];
  readonly entries: readonly ReceiverEntry[];
  readonly events: readonly AlertEvent[];
}

/** When notifications were decided for each receiver that is throttled, for as long as its throttle looks back. */
export type RecentlyTold = ReadonlyMap<string, readonly Instant[]>;

/** What the table keeps of an alert and a receiver. */
interface Entry {
  readonly told: Told | null;
  /** The reason of the last decision, so that the history is told of changes only. */
  readonly last: string;
}

/**
 * Decides, for alerts that moved or whose time has come, what each receiver is told. Everything that is decided has a
 * named reason in the alert's history.
 */
export function tellAbout(
  alerts: readonly Alert[],
  known: readonly ReceiverEntry[],
  directory: Directory,
  recent: RecentlyTold,
  now: Instant,
): Telling {
  // What is told here takes a place under the throttle of what comes after it.
  const taken = new Map([...recent].map(([receiver, times]) => [receiver, [...times]]));
  const tellings = alerts.map((alert) => tellAboutOne(alert, known, directory, taken, now));
  return {
    owed: tellings.flatMap((one) => one.owed),
    entries: tellings.flatMap((one) => one.entries),
    events: tellings.flatMap((one) => one.events),
  };
}

function tellAboutOne(
  alert: Alert,
  known: readonly ReceiverEntry[],
  directory: Directory,
  taken: Map<string, Instant[]>,
  now: Instant,
): Telling {
  const before = new Map(
    known.filter((one) => one.alertId === alert.id).map((one) => [one.receiver, one.entry as Entry]),
  );
  const routing = routeAlert(directory.routes, alert);
  const told = [...before].filter(([, entry]) => entry.told !== null).map(([receiver]) => receiver);
  const owed: OwedNotification[] = [];
  const entries: ReceiverEntry[] = [];
  const events: AlertEvent[] = noRoute(alert, routing, now);
  for (const { receiver: name, terms } of audience(routing, told)) {
    const receiver = directory.receiver(name);
    const entry = before.get(name);
    if (receiver === undefined) {
      if (entry?.last !== "UnknownReceiver") {
        events.push({
          alertId: alert.id,
          at: now,
          what: "UnknownReceiver",
          detail: `${name} is not configured`,
        });
      }
      entries.push(row(alert, name, { told: entry?.told ?? null, last: "UnknownReceiver" }, null));
      continue;
    }
    const matter = { alert, told: entry?.told ?? null, terms };
    const times = taken.get(name) ?? [];
    const decision = decide(matter, { ...receiver, recent: times }, now);
    if (decision.do === "tell") {
      owed.push(owe(alert, name, decision, now));
      taken.set(name, [...times, now]);
    }
    if (decision.do === "tell" || decision.reason !== entry?.last) {
      events.push({ alertId: alert.id, at: now, what: decision.reason, detail: `${name} (${decision.by})` });
    }
    const newlyTold = decision.do === "tell" ? decision.told : matter.told;
    entries.push(row(alert, name, { told: newlyTold, last: decision.reason }, decision.nextAt));
  }
  return { owed, entries, events };
}

function owe(
  alert: Alert,
  receiver: string,
  decision: Extract<Decision, { do: "tell" }>,
  now: Instant,
): OwedNotification {
  return {
    id: uuid7(now),
    projectId: alert.projectId,
    receiver,
    kind: decision.kind,
    alertId: alert.id,
    digest: null,
    createdAt: now,
    reason: decision.reason,
  };
}

function row(alert: Alert, receiver: string, entry: Entry, nextAt: Instant | null): ReceiverEntry {
  return { projectId: alert.projectId, alertId: alert.id, receiver, entry, nextAt };
}

/** Said once, when it fires: an alert that reaches nobody is a fault of the routes. */
function noRoute(alert: Alert, routing: Routing, now: Instant): AlertEvent[] {
  if (routing.outcome !== "NoRoute" || alert.state !== "firing" || alert.lastSeenAt !== alert.firedAt)
    return [];
  return [{ alertId: alert.id, at: now, what: "NoRoute", detail: routing.by }];
}
