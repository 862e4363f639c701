import { yieldingLoop } from "../../lib/concurrency.ts";
import { DAY, floorTo, HOUR, type Instant } from "../../lib/instant.ts";
import { countedAt } from "../ingest/page-counts.ts";
import { type Arrivals, arrivalsByBucket } from "../ingest/step-window.ts";
import { BUCKET_MS } from "../model/judging.ts";
import type { Mention } from "../model/mention.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { WindowRule } from "../rules/rule.ts";
import type { Shortfall, WindowVerdict } from "../rules/window-condition.ts";
import type { Stores } from "../store/stores.ts";
import type { WindowFacts } from "./why-not.ts";

/** What is usual is learned from weeks; nothing older changes a verdict much. */
const HISTORY_MS = 60 * DAY;
/** After this no window of hours has the mention; windows of days follow it for longer. */
const LATEST_MS = 5 * HOUR;
const LONGEST_MS = 9 * DAY;

/** A window that had the mention, and its numbers. */
export interface ReplayedWindow {
  readonly facts: WindowFacts;
  /** The nearest window; null where none is known. */
  readonly verdict: WindowVerdict | null;
  readonly missing: readonly Shortfall[];
  /** Counts before this moment were left out or are deleted, so what is usual may differ from what it was. */
  readonly countsFrom: Instant | null;
}

/**
 * Judges again the windows that had a mention, from the stored counts: states are only kept as they are now. It steps
 * through every bucket before, as the rule did, so its numbers are those of that time. Of the windows that had the
 * mention it gives the first that fired, else the nearest.
 */
export async function replayWindow(
  stores: Pick<Stores, "counts" | "conditions">,
  query: WatchedQuery,
  { window }: WindowRule,
  mention: Mention,
): Promise<ReplayedWindow> {
  const nothing = (facts: WindowFacts): ReplayedWindow => ({
    facts,
    verdict: null,
    missing: [],
    countsFrom: null,
  });
  const { projectId, queryId } = query;
  const arrivedAt = floorTo(mention.addedAt, BUCKET_MS);
  const judgedUntil = floorTo(query.tickedUntil, BUCKET_MS);
  const counted = await stores.counts.series(projectId, queryId);
  if (!window.series.every(({ key }) => counted.has(key))) return nothing({ outcome: "NotCounted" });
  if (judgedUntil <= arrivedAt) return nothing({ outcome: "NotJudged", judgedUntil });
  const until = Math.min(judgedUntil, arrivedAt + LONGEST_MS);
  const keys = window.series.map(({ key }) => key);
  const first = await stores.conditions.firstArrival(projectId, queryId);
  const from = Math.max(floorTo(first ?? arrivedAt, BUCKET_MS), arrivedAt - HISTORY_MS);
  const counts = await stores.counts.arrivals(projectId, queryId, from, until, keys);
  // Its own count is among them, unless it is deleted.
  if (!counts.some(({ arrived }) => arrived >= arrivedAt)) return nothing({ outcome: "CountsGone" });
  const nearest = await yieldingLoop(
    findNearest(query, window, mention, { from, until, arrivals: arrivalsByBucket(counts) }),
  );
  if (nearest === null) return nothing({ outcome: "NotJudged", judgedUntil });
  const { at, verdict, missing, warmUp } = nearest;
  return {
    facts: { outcome: "Judged", at, met: verdict.met, because: verdict.because, missing, warmUp },
    verdict,
    missing,
    countsFrom: first !== null && from > first ? from : null,
  };
}

/** Steps through the buckets, and gives the window with the mention that fired first, else the nearest; null: none had it. */
function* findNearest(
  query: WatchedQuery,
  window: WindowRule["window"],
  mention: Mention,
  counted: { readonly from: Instant; readonly until: Instant; readonly arrivals: Arrivals },
): Generator<void, Nearest | null> {
  const { from, until, arrivals } = counted;
  const arrivedAt = floorTo(mention.addedAt, BUCKET_MS);
  const event = Math.min(countedAt(mention), mention.addedAt);
  let state = window.initial();
  let nearest: Nearest | null = null;
  for (let bucket = from; bucket < until; bucket += BUCKET_MS) {
    const inBucket = arrivals.get(bucket);
    const tick = {
      bucket,
      bucketMs: BUCKET_MS,
      timezone: query.timezone,
      arrivals: window.series.map(({ key }) => inBucket?.get(key) ?? []),
    };
    const before = state;
    const step = window.step(before, tick);
    state = step.state;
    yield;
    const at = bucket + BUCKET_MS;
    if (at <= arrivedAt) continue;
    const { verdict } = step;
    if (at > arrivedAt + LATEST_MS && verdict.windowFrom > event) break;
    if (event < verdict.windowFrom || (event >= verdict.windowTo && !verdict.met)) continue;
    const missing = verdict.met ? [] : window.missing(before, tick);
    const warmUp = window.warmUp(before, { until: bucket, timezone: query.timezone })?.needs ?? null;
    const found = { at, verdict, missing, warmUp };
    if (nearest === null || isNearer(found, nearest)) nearest = found;
    if (verdict.met) break;
  }
  return nearest;
}

interface Nearest {
  readonly at: Instant;
  readonly verdict: WindowVerdict;
  readonly missing: readonly Shortfall[];
  readonly warmUp: string | null;
}

/** Fewer limits missed, then more of what is counted. A quiet window is nearer the fewer there are. */
function isNearer(one: Nearest, other: Nearest): boolean {
  if (one.verdict.met !== other.verdict.met) return one.verdict.met;
  if (one.missing.length !== other.missing.length) return one.missing.length < other.missing.length;
  return nearness(one) > nearness(other);
}

function nearness({ missing: [first], verdict }: Nearest): number {
  if (first === undefined) return verdict.observed;
  // Of a chance, and of a count that is too high, less is nearer.
  const wantsLess = first.has > first.needs;
  return wantsLess
    ? first.needs / Math.max(first.has, 1e-300)
    : first.has / Math.max(Math.abs(first.needs), 1e-300);
}
