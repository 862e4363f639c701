import { groupBy } from "../../../lib/group-by.ts";
import type { Instant } from "../../../lib/instant.ts";
import type { Alert } from "../../model/alert.ts";
import type { AlertEvent } from "../../model/alert-action.ts";
import type { GroupFlush, PendingNotification, ReceiverEntry } from "../../model/notification.ts";
import type { Severity } from "../../model/severity.ts";
import { silencedAt } from "../../model/silence.ts";
import { audience } from "./audience.ts";
import {
  type Candidate,
  EMPTY_CONTEXT,
  type EscalationTerms,
  type NotifyContext,
  type ReceiverTerms,
} from "./batch.ts";
import { type DecidedCandidate, decideAll } from "./decision.ts";
import { callingSince, type Entry } from "./entry.ts";
import { type EscalationConfig, escalationOf } from "./escalation.ts";
import { activeInhibitors, type Inhibition, inhibitorOf } from "./inhibition.ts";
import type { Rotation } from "./rotation.ts";
import { type RouteConfig, type Routing, routeIncident } from "./route.ts";
import { LOOK_AGAIN_MS } from "./stages/inhibit.ts";
import { breaksThrough, type Throttle } from "./throttle.ts";
import { writeDecisions } from "./write-decisions.ts";

/** Routes, escalations and receivers, from the configuration. */
export interface NotifyConfig {
  readonly routes: readonly RouteConfig[];
  readonly inhibitions: readonly Inhibition[];
  readonly escalations: readonly EscalationConfig[];
  readonly rotations: readonly Rotation[];
  /** Undefined for a receiver that the configuration does not know (any more). */
  receiver(name: string): Omit<ReceiverTerms, "recent" | "recentBreakThrough" | "flushes"> | undefined;
  /** How many alerts one rule may open for one query in ten minutes; absent or null: any number. */
  readonly floodAt?: number | null;
  /** The receivers that have a throttle. */
  readonly throttled: readonly { readonly name: string; readonly throttle: Throttle }[];
}

/** Rows for the transaction that changed the alerts. */
interface Decisions {
  readonly pending: readonly PendingNotification[];
  readonly entries: readonly ReceiverEntry[];
  readonly events: readonly AlertEvent[];
  readonly flushes: readonly GroupFlush[];
}

/** What the tables hold at this moment, apart from the alerts. */
export interface NotifyState {
  /** When notifications were decided for each throttled receiver, for as long as its throttle looks back. */
  readonly recent: RecentNotifications;
  readonly context: NotifyContext;
  /** When each receiver was last notified of each group of the project. */
  readonly flushes: readonly GroupFlush[];
  /** The alerts of incidents among those to decide, by the id of the leader that stands for the incident. */
  readonly incidents?: ReadonlyMap<string, IncidentAlerts>;
}

/** An incident goes to everybody whom a route of one of its alerts names. */
export interface IncidentAlerts {
  readonly members: readonly Alert[];
  readonly isWatched: boolean;
}

export type RecentNotifications = ReadonlyMap<
  string,
  readonly { readonly at: Instant; readonly severity: Severity }[]
>;

/** One alert and one receiver, before it is decided. */
interface Question {
  readonly receiver: string;
  readonly candidate: Candidate;
  readonly entry: Entry | undefined;
}

const EMPTY_STATE: NotifyState = { recent: new Map(), context: EMPTY_CONTEXT, flushes: [] };

/**
 * Decides what each receiver is notified of, for alerts of one project that changed or are due. Every decision has a
 * named reason in the alert's history. A storm of ten thousand alerts is one call, so nothing here loops over all
 * alerts for each alert.
 */
export function decideNotifications(
  alerts: readonly Alert[],
  known: readonly ReceiverEntry[],
  notifyConfig: NotifyConfig,
  now: Instant,
  state: NotifyState = EMPTY_STATE,
): Decisions {
  const knownOf = groupBy(known, ({ alertId }) => alertId);
  const asked = alerts.map((alert) => askAbout(alert, knownOf.get(alert.id) ?? [], notifyConfig, now, state));
  const byReceiver = groupBy(
    asked.flatMap((one) => one.questions),
    ({ receiver }) => receiver,
  );
  const mutedUntil = muting(state.context, now);
  const ended = alerts.filter(({ resolvedAt }) => resolvedAt !== null);
  const withEnded = { ...state, context: { ...state.context, ended } };
  const answers = [...byReceiver].map(([name, questions]) =>
    answer(name, questions, { notifyConfig, now, state: withEnded, mutedUntil }),
  );
  return {
    pending: answers.flatMap((one) => one.pending),
    entries: [...asked.flatMap((one) => one.over), ...answers.flatMap((one) => one.entries)],
    events: [...asked.flatMap((one) => one.events), ...answers.flatMap((one) => one.events)],
    flushes: answers.flatMap((one) => one.flushes),
  };
}

/** The receivers to decide for, and the rows of receivers that are no longer concerned. */
function askAbout(
  alert: Alert,
  entries: readonly ReceiverEntry[],
  notifyConfig: NotifyConfig,
  now: Instant,
  state: NotifyState,
): { questions: Question[]; over: ReceiverEntry[]; events: AlertEvent[] } {
  const before = new Map(entries.map((one) => [one.receiver, one.entry as Entry]));
  const incident = state.incidents?.get(alert.id);
  const members = (incident?.members ?? []).filter(
    (one) => one.firedAt !== null && silencedAt(state.context.silences, one, now) === null,
  );
  const routing = routeIncident(notifyConfig.routes, alert, members);
  const notified = [...before]
    .filter(([, entry]) => entry.lastNotified !== null)
    .map(([receiver]) => receiver);
  const since = callingSince(alert, before.values(), now);
  const steps = escalationOf(notifyConfig, alert, since, now);
  const everybody = audience(routing, notified, steps);
  const gone = entries.filter(
    ({ receiver, nextAt }) => nextAt !== null && !everybody.some((one) => one.receiver === receiver),
  );
  const stopped = gone.length === 0 ? new Map() : stoppedSteps(notifyConfig, alert, since, now);
  const over = gone.map((one) => {
    const last = stopped.has(one.receiver) ? "EscalationStopped" : "NoLongerRouted";
    return { ...one, entry: { lastNotified: null, last }, nextAt: null };
  });
  return {
    questions: everybody.map(({ receiver, terms }) => {
      const entry = before.get(receiver);
      const lastNotified = entry?.lastNotified ?? null;
      const isWatched = incident?.isWatched ?? false;
      return { receiver, candidate: { alert, lastNotified, terms, isWatched }, entry };
    }),
    over,
    events: [
      ...(entries.length > 0 ? [] : noRoute(alert, routing, now)),
      ...escalationStopped(alert, over, stopped, now),
    ],
  };
}

/** The steps that would lead to receivers if nobody had acknowledged or resolved the alert. */
function stoppedSteps(
  notifyConfig: NotifyConfig,
  alert: Alert,
  since: Instant,
  now: Instant,
): ReadonlyMap<string, EscalationTerms> {
  if (alert.state !== "acknowledged" && alert.state !== "resolved") return new Map();
  return escalationOf(notifyConfig, { ...alert, state: "firing" }, since, now);
}

/** Noted once: whom an acknowledgement spares, and which steps. The end of an alert needs no such line. */
function escalationStopped(
  alert: Alert,
  over: readonly ReceiverEntry[],
  steps: ReadonlyMap<string, EscalationTerms>,
  now: Instant,
): AlertEvent[] {
  const spared = over.flatMap(({ receiver }) => {
    const by = steps.get(receiver)?.by;
    return by === undefined ? [] : [`${receiver} (${by})`];
  });
  if (spared.length === 0 || alert.state !== "acknowledged") return [];
  const who = alert.handling?.acknowledgedBy ?? alert.handling?.assignee ?? null;
  const because = who === null ? "acknowledged" : `acknowledged by ${who}`;
  const detail = `${because}, so not notified: ${spared.join(", ")}`;
  return [{ alertId: alert.id, at: now, what: "EscalationStopped", detail }];
}

/** Decides for one receiver and all its alerts together, because one message may carry many. */
function answer(
  name: string,
  questions: readonly Question[],
  {
    notifyConfig,
    now,
    state,
    mutedUntil,
  }: {
    readonly notifyConfig: NotifyConfig;
    readonly now: Instant;
    readonly state: NotifyState;
    readonly mutedUntil: (alert: Alert) => Instant | null;
  },
): Decisions {
  const receiver = notifyConfig.receiver(name);
  if (receiver === undefined) return unknownReceiver(name, questions, now);
  const flushes = new Map(
    state.flushes.filter((one) => one.receiver === name).map((one) => [one.key, one.at]),
  );
  const terms = { ...receiver, ...recentOf(receiver.throttle, state.recent.get(name) ?? []), flushes };
  const decided = decideAll(
    questions.map((question) => question.candidate),
    terms,
    now,
    state.context,
  );
  const before = new Map(questions.map(({ candidate, entry }) => [candidate.alert.id, entry]));
  const written = writeDecisions(name, decided, before, mutedUntil, now);
  return { ...written, flushes: flushesOf(name, decided, now) };
}

function recentOf(throttle: Throttle | null, recent: NonNullable<ReturnType<RecentNotifications["get"]>>) {
  const breakThrough = recent.filter(
    ({ severity }) => throttle !== null && breaksThrough(throttle, severity),
  );
  return { recent: recent.map(({ at }) => at), recentBreakThrough: breakThrough.map(({ at }) => at) };
}

/**
 * Until when to look again at an alert that is muted. Muted time does not count towards an escalation: nobody could have
 * acknowledged the alert then.
 */
function muting(
  { silences, inhibitions, open }: NotifyContext,
  now: Instant,
): (alert: Alert) => Instant | null {
  const inhibitors = activeInhibitors(inhibitions, open);
  return (alert) =>
    silencedAt(silences, alert, now)?.until ??
    (inhibitorOf(inhibitors, alert) === null ? null : now + LOOK_AGAIN_MS);
}

function flushesOf(receiver: string, decided: readonly DecidedCandidate[], now: Instant): GroupFlush[] {
  const flushed = new Map<string, GroupFlush>();
  for (const { candidate, decision } of decided) {
    const { group } = candidate.terms;
    if (group === null || decision.do !== "send") continue;
    flushed.set(group.key, { projectId: candidate.alert.projectId, receiver, key: group.key, at: now });
  }
  return [...flushed.values()];
}

function unknownReceiver(name: string, questions: readonly Question[], now: Instant): Decisions {
  const what = "UnknownReceiver";
  return {
    pending: [],
    flushes: [],
    entries: questions.map(({ candidate: { alert, lastNotified } }) => ({
      projectId: alert.projectId,
      alertId: alert.id,
      receiver: name,
      entry: { lastNotified, last: what },
      nextAt: null,
    })),
    events: questions
      .filter(({ entry }) => entry?.last !== what)
      .map(({ candidate }) => ({
        alertId: candidate.alert.id,
        at: now,
        what,
        detail: `${name} is not configured`,
      })),
  };
}

/** Noted once, when the alert fires: an alert that reaches nobody is a fault of the routes. */
function noRoute(alert: Alert, routing: Routing, now: Instant): AlertEvent[] {
  if (routing.outcome !== "NoRoute" || alert.state !== "firing" || alert.lastSeenAt !== alert.firedAt)
    return [];
  return [{ alertId: alert.id, at: now, what: "NoRoute", detail: routing.by }];
}
