import {
  type Alert,
  BUCKET_MS,
  type Mention,
  type NotifyConfig,
  type PendingNotification,
  type Query,
  type Rule,
} from "#monitor";
import { floorTo, type Instant, MINUTE } from "../../lib/instant.ts";
import {
  createSimulatedNotifications,
  queryKey,
  type WithheldNotification,
} from "./simulate-notifications.ts";
import { createSimulatedQuery, type OnCount, type SimulatedQuery } from "./simulate-query.ts";

export interface SimulationOptions {
  readonly rules: readonly Rule[];
  readonly queries: readonly Query[];
  readonly notifyConfig: NotifyConfig;
  /** Mentions that arrived before this moment only teach the rules. */
  readonly from: Instant;
  /** Hears of every change of a count. */
  readonly onCount?: OnCount;
}

/** What the rules would have done. Alerts that never fired are not among them. */
export interface SimulationResult {
  /** In their last state, in the order in which they opened. */
  readonly alerts: readonly Alert[];
  readonly notifications: readonly PendingNotification[];
  /** Decisions not to send now, or not at all. */
  readonly withheld: readonly WithheldNotification[];
  readonly mentions: number;
  /** When the first of them arrived. */
  readonly firstAt: Instant | null;
}

/** A simulation that is fed mention by mention, so that a stream need not be in memory. */
export interface Simulation {
  /** In the order of `addedAt`. A mention of a query that the simulation does not have is ignored. */
  take(mention: Mention): void;
  /**
   * Lets time pass up to `to`, before which no mention follows. It changes no result: a long time without mentions can be
   * passed in pieces.
   */
  pass(to: Instant): void;
  /** Lets time pass up to `to`, and returns the result. */
  finish(to: Instant): SimulationResult;
}

/**
 * Runs rules, the life cycle of alerts, and the decisions about notifications over mentions in memory: the same
 * functions as the monitor, without its tables. Each mention is judged once, as it is now: how a mention changed after
 * it arrived is not simulated. People do nothing: no acknowledgement, no silence.
 */
export function simulate(
  options: SimulationOptions & { readonly mentions: Iterable<Mention>; readonly to: Instant },
): SimulationResult {
  const simulation = createSimulation(options);
  for (const mention of options.mentions) simulation.take(mention);
  return simulation.finish(options.to);
}

/** Queries are read every minute: a mention is judged at the end of the minute in which it arrived. */
const PAGE_MS = MINUTE;

export function createSimulation(options: SimulationOptions): Simulation {
  const { rules, queries, from } = options;
  const alerts = new Map<string, Alert>();
  const simulated = queries.map((query) =>
    createSimulatedQuery(
      query,
      rules.filter((rule) => rule.appliesTo(query)),
      from,
      options.onCount,
    ),
  );
  // Mentions name their query, not its project; ids of queries are unique within an account.
  const byId = new Map(simulated.map((one) => [one.query.queryId, one]));
  const notifications = createSimulatedNotifications(options.notifyConfig, {
    find: (id) => alerts.get(id),
    openOfProject: (projectId) =>
      simulated
        .filter(({ query }) => query.projectId === projectId)
        .flatMap((one) => one.open())
        .filter(({ firedAt }) => firedAt !== null),
  });
  let mentions = 0;
  let firstAt: Instant | null = null;
  /** Queries with a page that must not wait for the end of its bucket. */
  let filled = new Set<SimulatedQuery>();
  /** The end of the page that is being filled. */
  let pageEnd = Number.NEGATIVE_INFINITY;
  let bucketEnd = Number.NEGATIVE_INFINITY;

  function changed(
    query: Query,
    changedNow: readonly Alert[],
    waiting: readonly Alert[],
    now: Instant,
  ): void {
    for (const alert of changedNow) alerts.set(alert.id, alert);
    const concerned = new Map([...waiting, ...changedNow].map((alert) => [alert.id, alert]));
    notifications.decide(query.projectId, [...concerned.values()], now);
  }

  function commitPages(now: Instant): void {
    const full = filled;
    filled = new Set();
    for (const one of full) changed(one.query, one.commitPage(now), [], now);
  }

  function closeBuckets(now: Instant): void {
    const due = new Map(notifications.due(now));
    for (const one of simulated) {
      const key = queryKey(one.query);
      const closed = one.closeBucket(now);
      changed(one.query, closed, freshest(due.get(key)), now);
      due.delete(key);
    }
  }

  function decideDue(now: Instant): void {
    for (const waiting of notifications.due(now).values()) {
      const [first] = waiting;
      if (first !== undefined) notifications.decide(first.projectId, freshest(waiting), now);
    }
  }

  function freshest(older: readonly Alert[] = []): readonly Alert[] {
    return older.map((alert) => alerts.get(alert.id) ?? alert);
  }

  /** Does everything that is due before `until`, and at it. */
  function advance(until: Instant): void {
    for (;;) {
      const page = filled.size > 0 ? pageEnd : Number.POSITIVE_INFINITY;
      const decision = notifications.nextAt() ?? Number.POSITIVE_INFINITY;
      const now = Math.min(page, bucketEnd, decision);
      if (now > until) return;
      if (page <= now) commitPages(now);
      if (bucketEnd <= now) {
        closeBuckets(now);
        bucketEnd += BUCKET_MS;
      }
      decideDue(now);
    }
  }

  return {
    take: (mention) => {
      const one = byId.get(mention.queryId);
      if (one === undefined) return;
      mentions++;
      firstAt ??= mention.addedAt;
      if (mention.addedAt >= pageEnd) {
        if (bucketEnd === Number.NEGATIVE_INFINITY)
          bucketEnd = floorTo(mention.addedAt, BUCKET_MS) + BUCKET_MS;
        else advance(floorTo(mention.addedAt, PAGE_MS));
        pageEnd = floorTo(mention.addedAt, PAGE_MS) + PAGE_MS;
      }
      if (one.take(mention)) filled.add(one);
    },
    pass: (to) => {
      if (bucketEnd !== Number.NEGATIVE_INFINITY) advance(floorTo(to, PAGE_MS));
    },
    finish: (to) => {
      if (bucketEnd !== Number.NEGATIVE_INFINITY) advance(Math.max(to, filled.size > 0 ? pageEnd : to));
      return {
        alerts: [...alerts.values()].filter(({ firedAt }) => firedAt !== null).sort(byOpening),
        notifications: notifications.sent,
        withheld: notifications.withheld,
        mentions,
        firstAt,
      };
    },
  };
}

function byOpening(a: Alert, b: Alert): number {
  if (a.openedAt !== b.openedAt) return a.openedAt - b.openedAt;
  const [one, other] = [nameOf(a), nameOf(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function nameOf({ rule, queryName, fingerprint }: Alert): string {
  return JSON.stringify([rule, queryName, fingerprint]);
}
