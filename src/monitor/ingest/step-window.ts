import type { Instant } from "../../lib/instant.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { AlertLife, Observation } from "../alerts/alert-life.ts";
import { BUCKET_MS, type ConditionState, type CountChange } from "../model/judging.ts";
import type { Query } from "../model/query.ts";
import type { Rule, WindowRule } from "../rules/rule.ts";
import type { BucketCount, WindowCondition, WindowVerdict } from "../rules/window-condition.ts";
import { type AlertObservation, observationOf } from "./apply-observations.ts";

/** Buckets of one query that closed, for one rule. */
interface WindowRun {
  readonly start: ConditionState;
  readonly arrivals: Arrivals;
  /** Buckets that closed by this moment only teach. */
  readonly from: Instant;
  readonly until: Instant;
  /** The rule has an open alert on the query. */
  readonly isOpen: boolean;
}

/** Steps a window rule through the buckets up to `until`: its new state, and what its alerts learn of them. */
export function stepWindow(
  rule: WindowRule,
  query: Query,
  { start, arrivals, from, until, isOpen }: WindowRun,
): { readonly state: ConditionState; readonly observations: readonly AlertObservation[] } {
  const run = stepThrough(rule.window, start, arrivals, { from, until, isOpen }, query.timezone);
  return { state: run.state, observations: observationsOf(rule, query, run.verdicts, isOpen) };
}

interface ClosedVerdict {
  readonly closedAt: Instant;
  readonly verdict: WindowVerdict;
  /** What became visible in the bucket, of what the condition counts; negative where mentions left it. */
  readonly arrivals: readonly BucketCount[];
}

/**
 * Steps through every bucket up to `until` in order; those that closed by `from` only teach. What stood out before the rule
 * began to watch is no news: a wave that goes on then is judged by what comes now, unless an alert of it is open already.
 */
function stepThrough(
  condition: WindowCondition,
  start: ConditionState,
  arrivals: Arrivals,
  { from, until, isOpen }: Pick<WindowRun, "from" | "until" | "isOpen">,
  timezone: string,
): { state: ConditionState; verdicts: ClosedVerdict[] } {
  const verdicts: ClosedVerdict[] = [];
  // The table contains what the step before returned.
  let state = start.state as JsonValue;
  for (let bucket = start.steppedUntil; bucket < until; bucket += BUCKET_MS) {
    const inBucket = arrivals.get(bucket);
    const isFirstWatched = bucket <= start.watchFrom && start.watchFrom < bucket + BUCKET_MS;
    if (isFirstWatched && !isOpen) state = condition.inherit(state);
    const arrived = condition.series.map((series) => inBucket?.get(series.key) ?? []);
    const step = condition.step(state, { bucket, bucketMs: BUCKET_MS, timezone, arrivals: arrived });
    state = step.state;
    const closedAt = bucket + BUCKET_MS;
    if (closedAt > from) verdicts.push({ closedAt, verdict: step.verdict, arrivals: arrived[0] ?? [] });
  }
  return { state: { ...start, state, steppedUntil: until }, verdicts };
}

/** "Not met" only matters while an alert may be open. */
function observationsOf(
  rule: Rule,
  query: Query,
  verdicts: readonly ClosedVerdict[],
  isOpen: boolean,
): AlertObservation[] {
  // Most buckets say nothing: do not compute a fingerprint for those.
  if (!isOpen && !verdicts.some(({ verdict }) => verdict.met)) return [];
  const base = observationOf(rule, query, { query: query.name });
  let mayBeOpen = isOpen;
  const observations: AlertObservation[] = [];
  for (const closed of verdicts) {
    const { closedAt, verdict } = closed;
    if (verdict.met) {
      mayBeOpen = true;
      observations.push({
        ...base,
        observe: (life) => evidence(closed, base.life.overAfterMs, life),
      });
    } else if (mayBeOpen) {
      const { present, goesOn } = verdict;
      observations.push({
        ...base,
        observe: (life) => ({
          ...{ kind: "not-met", at: closedAt, goesOn },
          ...(present !== undefined && { mentions: moreOf(closed, life), present }),
        }),
      });
    }
  }
  return observations;
}

/**
 * What arrived late is added and what left is taken away, as long as it is of the time from the first window of the alert
 * on: then its number is that of the mentions of its time.
 */
function moreOf({ verdict, arrivals }: ClosedVerdict, life: AlertLife | null): number {
  const widthMs = verdict.present?.windowMs ?? verdict.windowTo - verdict.windowFrom;
  const from = (life?.openedAt ?? verdict.windowTo) - widthMs;
  let sum = 0;
  for (const { bucket, count } of arrivals) if (bucket >= from) sum += count;
  return sum;
}

/** The window that opens an alert counts whole; later only what changes in the bucket that closed. */
function evidence(closed: ClosedVerdict, overAfterMs: number, life: AlertLife | null): Observation {
  const { closedAt: at, verdict } = closed;
  // An alert that a person closed continues as long as the condition is met without a break.
  const isOver = life?.resolvedAt !== null && life?.handling?.closedBy === undefined;
  const isOpen = life !== null && !isOver && at <= life.lastSeenAt + overAfterMs;
  const { because, windowFrom, windowTo, values, observed } = verdict;
  const { restates, renotify, present, peak, reached } = verdict;
  return {
    kind: "evidence",
    at,
    mentions: isOpen ? moreOf(closed, life) : observed,
    because,
    windowFrom,
    windowTo,
    values,
    restates,
    renotify,
    present,
    peak,
    ...reached,
  };
}

/** Counts by arrival bucket and series, with the mentions' own time. */
export type Arrivals = ReadonlyMap<
  Instant,
  ReadonlyMap<string, readonly { bucket: Instant; count: number }[]>
>;

export function arrivalsByBucket(changes: readonly CountChange[]): Arrivals {
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
