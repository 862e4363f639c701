import type { Clock } from "../../lib/clock.ts";
import { floorTo, type Instant } from "../../lib/instant.ts";
import type { Observation } from "../alerts/alert-life.ts";
import type { Alert } from "../model/alert.ts";
import { BUCKET_MS, JUDGED_AHEAD_MS } from "../model/judging.ts";
import type { PendingNotification } from "../model/notification.ts";
import { OWN_QUERY, type Query, type WatchedQuery } from "../model/query.ts";
import type { NotifyConfig } from "../notify/decide/decide-notifications.ts";
import type { Rule } from "../rules/rule.ts";
import type { Facts, Stores } from "../store/stores.ts";
import { endings } from "./apply-observations.ts";
import { judgeWindows } from "./judge-windows.ts";
import { endIncidents, recordIncidents } from "./record-incidents.ts";
import { alertsToReconsider, recordNotifications } from "./record-notifications.ts";
import { recordObservations } from "./record-observations.ts";

/** A week of buckets in one transaction; a longer backlog takes several. */
const MOST_BUCKETS = 2_016;

export interface CloseWindowsParts {
  readonly store: Pick<Stores, "transaction">;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly notifyConfig: NotifyConfig;
  readonly clock: Clock;
  /** The version of the configuration that these rules are of; null if no process reports which one it runs. */
  readonly version?: string | null;
}

interface ClosedWindows {
  /** Buckets that were evaluated. */
  readonly judged: number;
  /** A long backlog takes several transactions. */
  readonly more: boolean;
  readonly pending: readonly PendingNotification[];
}

/**
 * Evaluates every bucket of a query that has closed since the last run. A bucket is closed when the query is complete
 * up to its end. Verdicts depend only on what arrived in which bucket, so they are the same however late or in how many
 * steps this runs. It also makes the notification decisions that are due.
 */
export async function closeWindows(
  parts: CloseWindowsParts,
  job: { projectId: string; queryId: string },
): Promise<ClosedWindows> {
  return parts.store.transaction(async (facts) => {
    const query = await facts.queries.lock(job.projectId, job.queryId);
    if (query === null) return { judged: 0, more: false, pending: [] };
    // Earshot's own query is never polled; its alerts end by Earshot's health checks.
    if (!query.isWatched && query.queryId !== OWN_QUERY.queryId) {
      const ended = await withdrawAll(facts, query, parts.clock.now());
      const waiting = alertsToReconsider(facts, query, ended);
      return {
        judged: 0,
        more: false,
        pending: await recordNotifications(facts, parts, query, ended, waiting),
      };
    }
    const completeUntil = await facts.polls.completeUntil(job.projectId, job.queryId);
    const closedUntil = floorTo(completeUntil ?? query.tickedUntil, BUCKET_MS);
    const { projectId, queryId } = query;
    if (query.tickedUntil > parts.clock.now() + JUDGED_AHEAD_MS && closedUntil < query.tickedUntil) {
      // Rules on counts learn again from the stored counts, and judge the coming buckets.
      await facts.conditions.removeAhead(projectId, queryId, closedUntil);
      await facts.queries.setTickedUntil(projectId, queryId, closedUntil);
      return { judged: 0, more: true, pending: [] };
    }
    // At first this is the moment from which the query's history is read; later it is the end of a bucket.
    const judgedUntil = floorTo(query.tickedUntil, BUCKET_MS);
    const until = Math.min(closedUntil, judgedUntil + MOST_BUCKETS * BUCKET_MS);
    const isLater = until > query.tickedUntil;
    const written = isLater ? await judgeUntil(facts, query, parts, until) : [];
    const waiting = alertsToReconsider(facts, query, written);
    const pending = await recordNotifications(facts, parts, query, written, waiting);
    return { judged: isLater ? (until - judgedUntil) / BUCKET_MS : 0, more: until < closedUntil, pending };
  });
}

async function judgeUntil(
  facts: Facts,
  query: WatchedQuery,
  { rulesFor, notifyConfig, version = null, clock }: CloseWindowsParts,
  until: Instant,
): Promise<readonly Alert[]> {
  const rules = rulesFor(query);
  const open = await facts.alerts.openThatMayEnd(
    query,
    rules.flatMap(({ kind, name, overAfterMs }) =>
      kind === "window" ? [] : [{ rule: name, before: until - overAfterMs }],
    ),
  );
  const { observations, asleepUntil } = await judgeWindows(facts, query, rules, open, until);
  const known = new Set(rules.map(({ name }) => name));
  const isOneGone = open.some(({ rule }) => !known.has(rule));
  // During a reload another process may have opened an alert of a rule that this one does not know yet.
  const endsGone = isOneGone && (await facts.processes.allRun(version));
  const recorded = await recordObservations(facts.alerts, query, [
    ...observations,
    ...endings(endsGone ? open : open.filter(({ rule }) => known.has(rule)), rules, until),
  ]);
  const asleep = asleepUntil === null ? null : { until: asleepUntil, version, at: clock.now() };
  await facts.queries.setTickedUntil(query.projectId, query.queryId, until, asleep);
  const { inhibitions } = notifyConfig;
  return recordIncidents(facts, query, { rules, inhibitions }, recorded, until);
}

/** An unwatched query gets no more mentions, so its alerts end, with that reason. */
async function withdrawAll(facts: Facts, query: WatchedQuery, now: Instant): Promise<readonly Alert[]> {
  const open = await facts.alerts.openOfQuery(query.projectId, query.queryId);
  const observation: Observation = { kind: "withdrawn", at: now, because: "its query is no longer watched" };
  const recorded = await recordObservations(
    facts.alerts,
    query,
    open.map(({ rule, fingerprint, labels, severity }) => ({
      ruleName: rule,
      life: { severity, forMs: 0, overAfterMs: Number.POSITIVE_INFINITY },
      fingerprint,
      labels,
      observe: () => observation,
    })),
  );
  return endIncidents(facts, query, recorded.changed, now);
}
