import type { AlertLife, Observation } from "../alerts/lifecycle.ts";
import type { Clock } from "../lib/clock.ts";
import { floorTo, type Instant } from "../lib/instant.ts";
import type { JsonValue } from "../lib/json.ts";
import type { Alert } from "../model/alert.ts";
import type { ConditionState } from "../model/condition-state.ts";
import { BUCKET_MS, type CountChange } from "../model/count-change.ts";
import type { OwedNotification } from "../model/notification.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { Directory } from "../notify/tell.ts";
import type { Rule, WindowRule } from "../rules/rule.ts";
import type { WindowCondition, WindowVerdict } from "../rules/window-condition.ts";
import type { IngestFacts, IngestStore } from "./ports.ts";
import { recordObservations, type Sighting, sightingOf } from "./record-observations.ts";
import { alertsToReconsider, recordTelling } from "./record-telling.ts";

/** A week of buckets in one transaction; a longer backlog takes several. */
const MOST_BUCKETS = 2_016;

export interface CloseWindowsParts {
  readonly store: IngestStore;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly directory: Directory;
  readonly clock: Clock;
}

export interface ClosedWindows {
  /** Buckets that were judged. */
  readonly judged: number;
  /** A long backlog is worked off in several transactions. */
  readonly more: boolean;
  readonly owed: readonly OwedNotification[];
}

/**
 * Judges every bucket of a query that has closed since the last time: a bucket is closed when the query is known to be
 * complete up to its end. Verdicts depend on what arrived in which bucket and on nothing else, so they are the same
 * however late or in how many steps this runs. On the way it looks again at decisions whose time has come.
 */
export async function closeWindows(
  parts: CloseWindowsParts,
  job: { projectId: string; queryId: string },
): Promise<ClosedWindows> {
  return parts.store.transaction(async (facts) => {
    const query = await facts.queries.lock(job.projectId, job.queryId);
    if (query === null) return { judged: 0, more: false, owed: [] };
    const completeUntil = await facts.walks.completeUntil(job.projectId, job.queryId);
    const closedUntil = floorTo(completeUntil ?? query.tickedUntil, BUCKET_MS);
    const until = Math.min(closedUntil, query.tickedUntil + MOST_BUCKETS * BUCKET_MS);
    const isLater = until > query.tickedUntil;
    const written = isLater ? await judgeUntil(facts, query, parts.rulesFor(query), until) : [];
    const waiting = await alertsToReconsider(facts, query, written, parts.clock.now());
    const owed = await recordTelling(facts, parts, query, [...written, ...waiting]);
    return { judged: isLater ? (until - query.tickedUntil) / BUCKET_MS : 0, more: until < closedUntil, owed };
  });
}

async function judgeUntil(
  facts: IngestFacts,
  query: WatchedQuery,
  rules: readonly Rule[],
  until: Instant,
): Promise<readonly Alert[]> {
  const open = await facts.alerts.openOfQuery(query.projectId, query.queryId);
  const windowSightings = await judgeWindows(facts, query, rules, open, until);
  const written = await recordObservations(facts.alerts, query, [
    ...windowSightings,
    ...endings(open, rules, until),
  ]);
  await facts.queries.setTickedUntil(query.projectId, query.queryId, until);
  return written;
}

/** Steps every window condition of the query through the buckets that it has not seen. */
async function judgeWindows(
  facts: IngestFacts,
  query: WatchedQuery,
  rules: readonly Rule[],
  open: readonly Alert[],
  until: Instant,
): Promise<Sighting[]> {
  const counted = await facts.counts.series(query.projectId, query.queryId);
  const windowRules = rules
    .filter((rule) => rule.kind === "window")
    .filter((rule) => rule.window.series.every((series) => counted.has(series.key)));
  if (windowRules.length === 0) return [];
  const states = await startStates(facts, query, windowRules);
  if (states.size === 0) return [];
  const from = Math.min(...[...states.values()].map((state) => state.steppedUntil));
  const arrivals = byBucket(await facts.counts.arrivals(query.projectId, query.queryId, from, until));
  const sightings: Sighting[] = [];
  const stepped: ConditionState[] = [];
  for (const rule of windowRules) {
    const start = states.get(rule.window.key);
    if (start === undefined) continue;
    const run = stepThrough(rule.window, start, arrivals, until);
    stepped.push(run.state);
    const isOpen = open.some((alert) => alert.rule === rule.name);
    sightings.push(...sightingsOf(rule, query, run.verdicts, isOpen));
  }
  await facts.conditions.save(query.projectId, query.queryId, distinct(stepped));
  return sightings;
}

/**
 * The stored states. A condition without one starts where the query's mentions start, for the silence before them says
 * nothing about it, and its verdicts on what was closed before it came only teach.
 */
async function startStates(
  facts: IngestFacts,
  query: WatchedQuery,
  rules: readonly WindowRule[],
): Promise<Map<string, ConditionState>> {
  const stored = await facts.conditions.states(query.projectId, query.queryId);
  const states = new Map(stored.map((state) => [state.condition, state]));
  const fresh = rules.filter(({ window }) => !states.has(window.key));
  if (fresh.length === 0) return states;
  const first = await facts.conditions.firstArrival(query.projectId, query.queryId);
  if (first === null) return states;
  const watchFrom = Math.max(query.watchFrom, query.tickedUntil);
  for (const { window } of fresh) {
    states.set(window.key, {
      condition: window.key,
      state: window.initial(),
      steppedUntil: first,
      watchFrom,
    });
  }
  return states;
}

interface ClosedVerdict {
  readonly closedAt: Instant;
  readonly verdict: WindowVerdict;
}

/** Every bucket in order; verdicts from before the condition watches only teach it. */
function stepThrough(
  condition: WindowCondition,
  start: ConditionState,
  arrivals: Arrivals,
  until: Instant,
): { state: ConditionState; verdicts: ClosedVerdict[] } {
  const verdicts: ClosedVerdict[] = [];
  // What stands in the table is what the step before returned.
  let state = start.state as JsonValue;
  for (let bucket = start.steppedUntil; bucket < until; bucket += BUCKET_MS) {
    const inBucket = arrivals.get(bucket);
    const step = condition.step(state, {
      bucket,
      bucketMs: BUCKET_MS,
      arrivals: condition.series.map((series) => inBucket?.get(series.key) ?? []),
    });
    state = step.state;
    const closedAt = bucket + BUCKET_MS;
    if (closedAt > start.watchFrom) verdicts.push({ closedAt, verdict: step.verdict });
  }
  return { state: { ...start, state, steppedUntil: until }, verdicts };
}

/** "Not met" is worth saying only while an alert may stand open. */
function sightingsOf(
  rule: Rule,
  query: Query,
  verdicts: readonly ClosedVerdict[],
  isOpen: boolean,
): Sighting[] {
  const base = sightingOf(rule, query, { query: query.name });
  let mayBeOpen = isOpen;
  const sightings: Sighting[] = [];
  for (const { closedAt, verdict } of verdicts) {
    if (verdict.met) {
      mayBeOpen = true;
      sightings.push({
        ...base,
        observe: (life) => evidence(closedAt, verdict, base.life.overAfterMs, life),
      });
    } else if (mayBeOpen) {
      sightings.push({ ...base, observe: () => ({ kind: "not-met", at: closedAt }) });
    }
  }
  return sightings;
}

/** The window that opens an alert counts whole; after that only what arrived in the bucket that closed. */
function evidence(
  at: Instant,
  verdict: WindowVerdict,
  overAfterMs: number,
  life: AlertLife | null,
): Observation {
  const stands = life !== null && life.resolvedAt === null && at <= life.lastSeenAt + overAfterMs;
  const { because, windowFrom, windowTo, values, arrived, observed } = verdict;
  return {
    kind: "evidence",
    at,
    mentions: stands ? Math.max(arrived, 0) : observed,
    because,
    windowFrom,
    windowTo,
    values,
  };
}

type Arrivals = ReadonlyMap<Instant, ReadonlyMap<string, readonly { bucket: Instant; count: number }[]>>;

function byBucket(changes: readonly CountChange[]): Arrivals {
  const buckets = new Map<Instant, Map<string, { bucket: Instant; count: number }[]>>();
  for (const { arrived, series, bucket, n } of changes) {
    const inBucket = buckets.get(arrived) ?? new Map<string, { bucket: Instant; count: number }[]>();
    buckets.set(arrived, inBucket);
    const list = inBucket.get(series) ?? [];
    inBucket.set(series, list);
    list.push({ bucket, count: n });
  }
  return buckets;
}

/** Alerts on single mentions end by quiet; alerts whose rule is gone end now. */
function endings(open: readonly Alert[], rules: readonly Rule[], until: Instant): Sighting[] {
  return open.flatMap((alert): Sighting[] => {
    const rule = rules.find((one) => one.name === alert.rule);
    if (rule?.kind === "window") return [];
    const { fingerprint, labels } = alert;
    const life = rule ?? { severity: alert.severity, forMs: 0, overAfterMs: Number.POSITIVE_INFINITY };
    const observation: Observation =
      rule === undefined ? { kind: "withdrawn", at: until } : { kind: "time-passed", until };
    return [{ ruleName: alert.rule, life, fingerprint, labels, observe: () => observation }];
  });
}

/** Two rules may share a condition; its state is one. */
function distinct(states: readonly ConditionState[]): ConditionState[] {
  return [...new Map(states.map((state) => [state.condition, state])).values()];
}
