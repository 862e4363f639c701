import type { AlertLife, Observation } from "../alerts/lifecycle.ts";
import type { Instant } from "../lib/instant.ts";
import type { JsonValue } from "../lib/json.ts";
import type { Alert } from "../model/alert.ts";
import type { ConditionState } from "../model/condition-state.ts";
import { BUCKET_MS, type CountChange } from "../model/count-change.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { Rule, WindowRule } from "../rules/rule.ts";
import type { WindowCondition, WindowVerdict } from "../rules/window-condition.ts";
import type { IngestFacts } from "./ports.ts";
import { type Sighting, sightingOf } from "./record-observations.ts";

/** Steps every window condition of the query through the buckets that it has not seen. */
export async function judgeWindows(
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
    if (start === undefined || start.steppedUntil >= until) continue;
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
  // What a person closed is the same as long as it goes on without a break.
  const isOver = life?.resolvedAt !== null && life?.care?.closedBy === undefined;
  const stands = life !== null && !isOver && at <= life.lastSeenAt + overAfterMs;
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

/** Two rules may share a condition; its state is one. */
function distinct(states: readonly ConditionState[]): ConditionState[] {
  return [...new Map(states.map((state) => [state.condition, state])).values()];
}
