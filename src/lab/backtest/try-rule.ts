import { setImmediate as nextTurn } from "node:timers/promises";
import { BUCKET_MS, countedAt, type Mention, type NotifyConfig, type Query, type Rule } from "#monitor";
import { monotonicMs } from "../../lib/clock.ts";
import { DAY, floorTo, type Instant } from "../../lib/instant.ts";
import { counted } from "../../lib/numbers.ts";
import { createSimulation, type SimulationResult } from "./simulate.ts";

interface TryOptions {
  readonly rule: Rule;
  /** Those that the rule is for. */
  readonly queries: readonly Query[];
  /** In the order of arrival. */
  readonly mentions: AsyncIterable<Mention>;
  readonly from: Instant;
  readonly to: Instant;
  readonly notifyConfig: NotifyConfig;
  /** The longest time that it may take. */
  readonly mostMs: number;
  /** Ends it: it rejects with the reason. */
  readonly signal: AbortSignal;
}

/** A simulation of one rule, with what a reader wants to see of it. */
export interface Trial {
  readonly simulated: SimulationResult;
  /** Judged up to here: before `to` if the time was over. */
  readonly until: Instant;
  /** Mentions from `from` on. */
  readonly mentions: number;
  readonly matched: number;
  /** The newest that match, newest first. */
  readonly examples: readonly Mention[];
  /** Counts by query and bucket, as the rule counts: mentions, authors or stories. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<Instant, number>>;
  readonly matchedBy: ReadonlyMap<string, number>;
}

const EXAMPLES = 10;
/** Short enough that no waiting request notices it. */
const BUSY_MS = 12;
/** Time without mentions passes in such pieces. */
const PIECE_MS = DAY / 8;

/**
 * Runs one rule over mentions, as `earshot backtest` does, and lets other work of the process run every few
 * milliseconds.
 */
export async function tryRule(options: TryOptions): Promise<Trial> {
  const { rule, queries, mentions, from, to, notifyConfig, mostMs, signal } = options;
  const counts = new Map<string, Map<Instant, number>>(queries.map(({ queryId }) => [queryId, new Map()]));
  const add = (queryId: string, bucket: Instant, n: number): void => {
    const known = counts.get(queryId);
    known?.set(bucket, (known.get(bucket) ?? 0) + n);
  };
  const series = rule.kind === "window" ? rule.window.series[0] : undefined;
  const matches = series?.counts ?? ((mention: Mention) => rule.when.matches(mention));
  const simulation = createSimulation({
    ...{ rules: [rule], queries, notifyConfig, from },
    onCount: ({ queryId }, change) => {
      if (change.series === series?.key) add(queryId, change.bucket, change.n);
    },
  });
  const newest: Mention[] = [];
  const matchedBy = new Map<string, number>();
  const pace = createPace(signal);
  let [seen, matched, now, isOver] = [0, 0, Number.NEGATIVE_INFINITY, false];

  /** False once the time is over. */
  async function passTo(moment: Instant): Promise<boolean> {
    if (now === Number.NEGATIVE_INFINITY) now = moment;
    const piece = Math.max(BUCKET_MS, floorTo(PIECE_MS / queries.length, BUCKET_MS));
    while (now + piece < moment) {
      now += piece;
      await simulation.pass(now);
      if ((await pace()) > mostMs) return false;
    }
    now = moment;
    return (await pace()) <= mostMs;
  }

  for await (const mention of mentions) {
    if (mention.addedAt > to) break;
    if (!(await passTo(mention.addedAt))) {
      isOver = true;
      break;
    }
    await simulation.take(mention);
    // A pattern on a long text takes its time, here and below.
    await pace();
    const isMatch = matches(mention);
    if (isMatch && series === undefined) add(mention.queryId, floorTo(countedAt(mention), BUCKET_MS), 1);
    if (mention.addedAt < from) continue;
    seen++;
    if (!isMatch) continue;
    matched++;
    matchedBy.set(mention.queryId, (matchedBy.get(mention.queryId) ?? 0) + 1);
    newest.push(mention);
    if (newest.length > EXAMPLES) newest.shift();
  }
  if (!isOver && now !== Number.NEGATIVE_INFINITY) isOver = !(await passTo(to));
  const until = isOver ? now : to;
  const simulated = await simulation.finish(until);
  return { simulated, until, mentions: seen, matched, examples: newest.reverse(), counts, matchedBy };
}

/** Milliseconds since the start; lets others have their turn when it was busy for long. */
function createPace(signal: AbortSignal): () => Promise<number> | number {
  const start = monotonicMs();
  let since = start;
  return () => {
    const at = monotonicMs();
    if (at - since < BUSY_MS) return at - start;
    return nextTurn().then(() => {
      signal.throwIfAborted();
      since = monotonicMs();
      return since - start;
    });
  };
}

/** A try within its limits. */
interface TryBounds {
  /** The busiest ones first. */
  readonly queries: readonly Query[];
  readonly learnFrom: Instant;
  readonly from: Instant;
  /** What was cut, in sentences. */
  readonly cut: readonly string[];
}

/**
 * Fits a try into so many queries and mentions: it looks at the busiest queries, then learns from less, then shows fewer
 * days. `arrivals` are in order of time.
 */
export function boundTry(
  queries: readonly Query[],
  arrivals: readonly { readonly queryId: string; readonly day: Instant; readonly n: number }[],
  period: { readonly learnFrom: Instant; readonly from: Instant; readonly to: Instant },
  most: { readonly mentions: number; readonly queries: number },
): TryBounds {
  const totals = new Map<string, number>();
  for (const { queryId, n } of arrivals) totals.set(queryId, (totals.get(queryId) ?? 0) + n);
  const busiest = [...queries]
    .sort((a, b) => (totals.get(b.queryId) ?? 0) - (totals.get(a.queryId) ?? 0))
    .slice(0, most.queries);
  const cut =
    busiest.length < queries.length
      ? [`It looks at the ${busiest.length} busiest of ${counted(queries.length, "query", "queries")} only.`]
      : [];
  const ids = new Set(busiest.map(({ queryId }) => queryId));
  const ofQueries = arrivals.filter(({ queryId }) => ids.has(queryId));
  const first = firstWithin(ofQueries, period, most.mentions);
  if (first <= period.learnFrom) return { ...period, queries: busiest, cut };
  const limit = `a try looks at ${counted(most.mentions, "mention")} at most`;
  const days = (from: Instant, to: Instant): string => counted(Math.round((to - from) / DAY), "day");
  if (first <= period.from)
    return {
      queries: busiest,
      learnFrom: first,
      from: period.from,
      cut: [...cut, `It learned what is usual from ${days(first, period.from)} only: ${limit}.`],
    };
  return {
    queries: busiest,
    learnFrom: first,
    from: first,
    cut: [...cut, `It covers ${days(first, period.to)} only: ${limit}.`],
  };
}

/** The first moment from which on there are not more than `most` mentions; a day at the least. */
function firstWithin(
  arrivals: readonly { readonly day: Instant; readonly n: number }[],
  { learnFrom, to }: { readonly learnFrom: Instant; readonly to: Instant },
  most: number,
): Instant {
  let left = most;
  for (const { day, n } of arrivals.toReversed()) {
    left -= n;
    if (left < 0) return Math.min(Math.max(learnFrom, day + DAY), to - DAY);
  }
  return learnFrom;
}
