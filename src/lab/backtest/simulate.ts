import {
  type Alert,
  BUCKET_MS,
  type Incident,
  type Mention,
  type NotifyConfig,
  type PendingNotification,
  type Query,
  type Rule,
  recordIncidents,
} from "#monitor";
import { DAY, floorTo, type Instant, MINUTE } from "../../lib/instant.ts";
import {
  createSimulatedNotifications,
  queryKey,
  type WithheldNotification,
} from "./simulate-notifications.ts";
import {
  createSimulatedQuery,
  type OnCount,
  type SimulatedChanges,
  type SimulatedQuery,
} from "./simulate-query.ts";
import { createSimulatedFacts } from "./simulated-facts.ts";

export interface SimulationOptions {
  readonly rules: readonly Rule[];
  readonly queries: readonly Query[];
  readonly notifyConfig: NotifyConfig;
  /** Mentions that arrived before this moment only teach the rules. */
  readonly from: Instant;
  /** Called with every change of a count. */
  readonly onCount?: OnCount;
}

/** What the rules would have done. Alerts that never fired are not among them. */
export interface SimulationResult {
  /** In their last state, in the order in which they opened. */
  readonly alerts: readonly Alert[];
  /** In their last state. A notification about an incident names the alert that began it. */
  readonly incidents: readonly Incident[];
  readonly notifications: readonly PendingNotification[];
  /** Decisions not to send now, or not at all. */
  readonly withheld: readonly WithheldNotification[];
  readonly mentions: number;
  /** When the first of them arrived. */
  readonly firstAt: Instant | null;
}

/** A simulation that is fed mention by mention, so that a stream need not be in memory. */
interface Simulation {
  /** In the order of `addedAt`. A mention of a query that the simulation does not have is ignored. */
  take(mention: Mention): Promise<void>;
  /**
   * Lets time pass up to `to`, before which no mention follows. It changes no result: a long time without mentions can be
   * passed in pieces.
   */
  pass(to: Instant): Promise<void>;
  /** Lets time pass up to `to`, and returns the result. */
  finish(to: Instant): Promise<SimulationResult>;
}

/** Queries are read every minute: a mention is judged at the end of the minute in which it arrived. */
const PAGE_MS = MINUTE;

/**
 * Runs rules, the life cycle of alerts and incidents, and the decisions about notifications over mentions in memory: the same
 * functions as the monitor, without its tables. Each mention is judged once, as it is now: how a mention changed after
 * it arrived is not simulated. People do nothing: no acknowledgement, no silence.
 */
export function createSimulation(options: SimulationOptions): Simulation {
  const { rules, queries, from } = options;
  const facts = createSimulatedFacts();
  // Rules that keep all their alerts apart need no memory of mentions.
  const onMention = rules.some(({ incident }) => incident !== null) ? facts.addMention : undefined;
  const simulated = queries.map((query) =>
    createSimulatedQuery(
      query,
      rules.filter((rule) => rule.appliesTo(query)),
      from,
      { onCount: options.onCount, onMention },
    ),
  );
  // Mentions name their query, not its project; ids of queries are unique within an account.
  const byId = new Map(simulated.map((one) => [one.query.queryId, one]));
  const notifications = createSimulatedNotifications(options.notifyConfig, {
    ...facts,
    find: (id) => facts.alertsById.get(id),
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

  /** `until`: up to which windows were judged; null after a page. */
  async function changed(
    one: SimulatedQuery,
    judged: SimulatedChanges,
    waiting: readonly Alert[],
    now: Instant,
    until: Instant | null,
  ): Promise<void> {
    facts.saveAlerts(judged.changed);
    for (const { alertId, mention } of judged.matches) facts.addMatch(alertId, mention);
    const { inhibitions } = options.notifyConfig;
    const transitions = await recordIncidents(facts, one.watched(), { rules, inhibitions }, judged, until);
    const concerned = new Map([...waiting, ...transitions].map((alert) => [alert.id, alert]));
    await notifications.decide(one.query.projectId, [...concerned.values()], now);
  }

  async function commitPages(now: Instant): Promise<void> {
    const full = filled;
    filled = new Set();
    for (const one of full) await changed(one, one.commitPage(now), [], now, null);
  }

  async function closeBuckets(now: Instant): Promise<void> {
    const due = new Map(notifications.due(now));
    for (const one of simulated) {
      const key = queryKey(one.query);
      await changed(one, one.closeBucket(now), freshest(due.get(key)), now, now);
      due.delete(key);
    }
    if (now % DAY === 0) facts.forget(now);
  }

  async function decideDue(now: Instant): Promise<void> {
    for (const waiting of notifications.due(now).values()) {
      const [first] = waiting;
      if (first !== undefined) await notifications.decide(first.projectId, freshest(waiting), now);
    }
  }

  function freshest(older: readonly Alert[] = []): readonly Alert[] {
    return older.map((alert) => facts.alertsById.get(alert.id) ?? alert);
  }

  /** Does everything that is due before `until`, and at it. */
  async function advance(until: Instant): Promise<void> {
    for (;;) {
      const page = filled.size > 0 ? pageEnd : Number.POSITIVE_INFINITY;
      const decision = notifications.nextAt() ?? Number.POSITIVE_INFINITY;
      const now = Math.min(page, bucketEnd, decision);
      if (now > until) return;
      if (page <= now) await commitPages(now);
      if (bucketEnd <= now) {
        await closeBuckets(now);
        bucketEnd += BUCKET_MS;
      }
      await decideDue(now);
    }
  }

  return {
    take: async (mention) => {
      const one = byId.get(mention.queryId);
      if (one === undefined) return;
      mentions++;
      firstAt ??= mention.addedAt;
      if (mention.addedAt >= pageEnd) {
        if (bucketEnd === Number.NEGATIVE_INFINITY)
          bucketEnd = floorTo(mention.addedAt, BUCKET_MS) + BUCKET_MS;
        else await advance(floorTo(mention.addedAt, PAGE_MS));
        pageEnd = floorTo(mention.addedAt, PAGE_MS) + PAGE_MS;
      }
      if (one.take(mention)) filled.add(one);
    },
    pass: async (to) => {
      if (bucketEnd !== Number.NEGATIVE_INFINITY) await advance(floorTo(to, PAGE_MS));
    },
    finish: async (to) => {
      if (bucketEnd !== Number.NEGATIVE_INFINITY) await advance(Math.max(to, filled.size > 0 ? pageEnd : to));
      return {
        alerts: [...facts.alertsById.values()].filter(({ firedAt }) => firedAt !== null).sort(byOpening),
        incidents: facts.known(),
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
