import type { Instant } from "../lib/instant.ts";
import { uuid7 } from "../lib/uuid7.ts";
import type { Alert } from "../model/alert.ts";
import type { AlertEvent } from "../model/alert-event.ts";
import type { GroupFlush, OwedNotification, ReceiverEntry } from "../model/notification.ts";
import { silencedAt } from "../model/silence.ts";
import { audience } from "./audience.ts";
import { CALM, type Circumstances, type Matter, type ReceiverTerms, type Told } from "./batch.ts";
import { type Decided, type Decision, decideAll } from "./decision.ts";
import { type EscalationConfig, escalationOf } from "./escalation.ts";
import { type Inhibition, inhibitorOf } from "./inhibition.ts";
import type { Rotation } from "./rotation.ts";
import { type RouteConfig, type Routing, routeAlert } from "./route.ts";
import type { Throttle } from "./throttle.ts";

/** Who may be told of what, from the configuration. */
export interface Directory {
  readonly routes: readonly RouteConfig[];
  readonly inhibitions: readonly Inhibition[];
  readonly escalations: readonly EscalationConfig[];
  readonly rotations: readonly Rotation[];
  /** Undefined for a receiver that the configuration does not know (any more). */
  receiver(name: string): Omit<ReceiverTerms, "recent" | "flushes"> | undefined;
  /** Those among them that are told only so much in a time. */
  readonly throttled: readonly { readonly name: string; readonly throttle: Throttle }[];
}

/** What is written in the transaction that moved the alerts. */
export interface Telling {
  readonly owed: readonly OwedNotification[];
  readonly entries: readonly ReceiverEntry[];
  readonly events: readonly AlertEvent[];
  readonly flushes: readonly GroupFlush[];
}

/** What the tables say of the moment, beside the alerts themselves. */
export interface Standing {
  /** When notifications were decided for each throttled receiver, for as long as its throttle looks back. */
  readonly recent: RecentlyTold;
  readonly around: Circumstances;
  /** When each receiver was last told of each group of the query. */
  readonly flushes: readonly GroupFlush[];
}

export type RecentlyTold = ReadonlyMap<string, readonly Instant[]>;

/** What the table keeps of an alert and a receiver. */
interface Entry {
  readonly told: Told | null;
  /** The reason of the last decision, so that the history is told of changes only. */
  readonly last: string;
  /** Since when the receiver hears, or would hear, that the alert calls: where steps of an escalation count from. */
  readonly since?: Instant;
}

/** One alert and one receiver, before it is decided. */
interface Question {
  readonly receiver: string;
  readonly matter: Matter;
  readonly entry: Entry | undefined;
}

const NOTHING_STANDS: Standing = { recent: new Map(), around: CALM, flushes: [] };

/**
 * Decides, for alerts of one query that moved or whose time has come, what each receiver is told. Everything that is
 * decided has a named reason in the alert's history.
 */
export function tellAbout(
  alerts: readonly Alert[],
  known: readonly ReceiverEntry[],
  directory: Directory,
  now: Instant,
  standing: Standing = NOTHING_STANDS,
): Telling {
  const asked = alerts.map((alert) => askAbout(alert, known, directory, now));
  const questions = asked.flatMap((one) => one.questions);
  const answers = [...new Set(questions.map((question) => question.receiver))].map((name) =>
    answer(
      name,
      questions.filter((question) => question.receiver === name),
      directory,
      now,
      standing,
    ),
  );
  return {
    owed: answers.flatMap((one) => one.owed),
    entries: [...asked.flatMap((one) => one.over), ...answers.flatMap((one) => one.entries)],
    events: [...asked.flatMap((one) => one.events), ...answers.flatMap((one) => one.events)],
    flushes: answers.flatMap((one) => one.flushes),
  };
}

/** Who has to be asked for about an alert, and the rows of those who are no longer concerned. */
function askAbout(
  alert: Alert,
  known: readonly ReceiverEntry[],
  directory: Directory,
  now: Instant,
): { questions: Question[]; over: ReceiverEntry[]; events: AlertEvent[] } {
  const its = known.filter((one) => one.alertId === alert.id);
  const before = new Map(its.map((one) => [one.receiver, one.entry as Entry]));
  const routing = routeAlert(directory.routes, alert);
  const told = [...before].filter(([, entry]) => entry.told !== null).map(([receiver]) => receiver);
  const steps = escalationOf(directory, alert, callingSince(alert, [...before.values()], now), now);
  const everybody = audience(routing, told, steps);
  const over = its
    .filter(({ receiver, nextAt }) => nextAt !== null && !everybody.some((one) => one.receiver === receiver))
    .map((one) => ({ ...one, entry: { told: null, last: "NoLongerRouted" }, nextAt: null }));
  return {
    questions: everybody.map(({ receiver, terms }) => {
      const entry = before.get(receiver);
      return { receiver, matter: { alert, told: entry?.told ?? null, terms }, entry };
    }),
    over,
    events: noRoute(alert, routing, now),
  };
}

/** What one receiver is told of all of them; together, for one message may tell of many. */
function answer(
  name: string,
  questions: readonly Question[],
  directory: Directory,
  now: Instant,
  standing: Standing,
): Telling {
  const receiver = directory.receiver(name);
  if (receiver === undefined) return unknownReceiver(name, questions, now);
  const flushes = new Map(
    standing.flushes.filter((one) => one.receiver === name).map((one) => [one.key, one.at]),
  );
  const terms = { ...receiver, recent: standing.recent.get(name) ?? [], flushes };
  const decided = decideAll(
    questions.map((question) => question.matter),
    terms,
    now,
    standing.around,
  );
  const rows = decided.map((one) =>
    write(
      name,
      one,
      entryOf(questions, one),
      { all: decided, muted: isMuted(one.matter.alert, standing.around, now) },
      now,
    ),
  );
  return {
    owed: rows.flatMap((row) => row.owed),
    entries: rows.map((row) => row.entry),
    events: rows.flatMap((row) => row.events),
    flushes: flushesOf(name, decided, now),
  };
}

function entryOf(questions: readonly Question[], { matter }: Decided): Entry | undefined {
  return questions.find((question) => question.matter.alert.id === matter.alert.id)?.entry;
}

function write(
  receiver: string,
  { matter: { alert, told }, decision }: Decided,
  before: Entry | undefined,
  { all, muted }: { readonly all: readonly Decided[]; readonly muted: boolean },
  now: Instant,
): { owed: OwedNotification[]; entry: ReceiverEntry; events: AlertEvent[] } {
  const isTold = decision.do === "tell";
  const since = muted ? null : sinceOf(alert, before, now);
  const entry = {
    told: isTold ? decision.told : told,
    last: decision.reason,
    ...(since !== null && { since }),
  };
  const detail = `${receiver} (${decision.by}${isTold && decision.with !== null ? `, in the message about ${leaderName(all, decision.with)}` : ""})`;
  const isNews = isTold || decision.reason !== before?.last;
  return {
    owed: isTold && decision.with === null ? [owe(alert, receiver, decision, all, now)] : [],
    entry: { projectId: alert.projectId, alertId: alert.id, receiver, entry, nextAt: decision.nextAt },
    events: isNews ? [{ alertId: alert.id, at: now, what: decision.reason, detail }] : [],
  };
}

function leaderName(all: readonly Decided[], id: string): string {
  const leader = all.find(({ matter }) => matter.alert.id === id)?.matter.alert;
  return leader === undefined ? "another alert" : `${leader.queryName}, ${leader.rule}`;
}

function owe(
  alert: Alert,
  receiver: string,
  decision: Extract<Decision, { do: "tell" }>,
  all: readonly Decided[],
  now: Instant,
): OwedNotification {
  const also = all.filter((one) => one.decision.do === "tell" && one.decision.with === alert.id);
  return {
    id: uuid7(now),
    projectId: alert.projectId,
    receiver,
    kind: decision.kind,
    alertId: alert.id,
    digest: null,
    createdAt: now,
    reason: decision.reason,
    ...(also.length > 0 && { also: also.map(({ matter }) => matter.alert.id) }),
  };
}

/** Muted time does not count towards an escalation: nobody could have taken it on. */
function isMuted(alert: Alert, { silences, inhibitions, open }: Circumstances, now: Instant): boolean {
  return silencedAt(silences, alert, now) !== null || inhibitorOf(inhibitions, open, alert) !== null;
}

function sinceOf(alert: Alert, before: Entry | undefined, now: Instant): Instant | null {
  if (alert.state !== "firing") return before?.since ?? null;
  return isOfThisCall(alert, before) ? before.since : now;
}

function isOfThisCall(alert: Alert, entry: Entry | undefined): entry is Entry & { since: Instant } {
  return entry?.since !== undefined && entry.since >= (alert.care?.callingSince ?? alert.openedAt);
}

/** When somebody was first to be told that it calls; now, where nobody was. */
function callingSince(alert: Alert, entries: readonly Entry[], now: Instant): Instant {
  const known = entries.filter((entry) => isOfThisCall(alert, entry)).map((entry) => entry.since ?? now);
  return Math.min(now, ...known);
}

function flushesOf(receiver: string, decided: readonly Decided[], now: Instant): GroupFlush[] {
  const flushed = new Map<string, GroupFlush>();
  for (const { matter, decision } of decided) {
    const { group } = matter.terms;
    if (group === null || decision.do !== "tell") continue;
    const { projectId, queryId } = matter.alert;
    flushed.set(group.key, { projectId, queryId, receiver, key: group.key, at: now });
  }
  return [...flushed.values()];
}

function unknownReceiver(name: string, questions: readonly Question[], now: Instant): Telling {
  const what = "UnknownReceiver";
  return {
    owed: [],
    flushes: [],
    entries: questions.map(({ matter: { alert, told } }) => ({
      projectId: alert.projectId,
      alertId: alert.id,
      receiver: name,
      entry: { told, last: what },
      nextAt: null,
    })),
    events: questions
      .filter(({ entry }) => entry?.last !== what)
      .map(({ matter }) => ({
        alertId: matter.alert.id,
        at: now,
        what,
        detail: `${name} is not configured`,
      })),
  };
}

/** Said once, when it fires: an alert that reaches nobody is a fault of the routes. */
function noRoute(alert: Alert, routing: Routing, now: Instant): AlertEvent[] {
  if (routing.outcome !== "NoRoute" || alert.state !== "firing" || alert.lastSeenAt !== alert.firedAt)
    return [];
  return [{ alertId: alert.id, at: now, what: "NoRoute", detail: routing.by }];
}
