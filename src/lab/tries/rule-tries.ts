import type { RuleView } from "#console";
import {
  BUCKET_MS,
  eventAt,
  OWN_QUERY,
  type Query,
  RULE_NAME,
  type Rule,
  type RuleTryOutcome,
  type Stores,
  type TriedQuery,
} from "#monitor";
import { type Clock, monotonicMs } from "../../lib/clock.ts";
import { DAY, floorTo, type Instant, inUtc, SECOND, toIso } from "../../lib/instant.ts";
import { LEARN_MS, storedMentions } from "../backtest/stored-mentions.ts";
import { drawTry } from "../backtest/try-chart.ts";
import { boundTry, type Trial, tryRule } from "../backtest/try-rule.ts";
import type { RuleFiles } from "./rule-files.ts";
import type { RuleReader } from "./rule-reader.ts";

export interface TryParts extends Pick<RuleFiles, "notifyConfig"> {
  readonly stores: Stores;
  readonly reader: Pick<RuleReader, "read">;
  readonly clock: Clock;
  readonly timezone: string;
  /** Only tests pass others. */
  readonly limits?: TryLimits;
}

interface TryLimits {
  readonly mentions: number;
  readonly queries: number;
  readonly ms: number;
}

const LIMITS: TryLimits = { mentions: 150_000, queries: 20, ms: 10 * SECOND };
/** Tries of all sessions at a time. */
const MOST_TRIES = 2;
const CHARTS = 3;
const QUERIES = 20;
const ALERTS = 20;
/** Rows of one answer, which block the process while they are read. */
const ROWS = 500;

/**
 * Tries rules on the stored mentions of the last days. One try at a time for a session: a newer one ends the one before.
 * A few for all sessions together.
 */
export function createTries(parts: TryParts): RuleView["attempt"] {
  const running = new Map<string, AbortController>();
  return async ({ session, name, text, days }, signal) => {
    const before = running.get(session);
    before?.abort();
    if (running.size >= MOST_TRIES && before === undefined) return { outcome: "Busy" };
    const own = new AbortController();
    running.set(session, own);
    const ended = AbortSignal.any([signal, own.signal]);
    try {
      const posted = { name: RULE_NAME.test(name) ? name : "new-rule", text };
      const read = await parts.reader.read(posted, ended);
      return read.outcome === "Valid" ? await attempt(parts, read.rule, days, ended) : read;
    } catch (error) {
      if (ended.aborted) return { outcome: "Ended" };
      throw error;
    } finally {
      if (running.get(session) === own) running.delete(session);
    }
  };
}

async function attempt(
  { stores, notifyConfig, clock, timezone, limits = LIMITS }: TryParts,
  rule: Rule,
  days: number,
  signal: AbortSignal,
): Promise<RuleTryOutcome> {
  const started = monotonicMs();
  const all = (await stores.queries.active()).filter(
    (query) => query.queryId !== OWN_QUERY.queryId && rule.appliesTo(query),
  );
  if (all.length === 0) return { outcome: "NoQuery" };
  const to = clock.now();
  const from = to - days * DAY;
  const ids = all.map(({ queryId }) => queryId);
  const arrivals = await stores.mentions.arrivalsByDay(ids, from - LEARN_MS);
  const range = boundTry(all, arrivals, { learnFrom: from - LEARN_MS, from, to }, limits);
  const { queries } = range;
  signal.throwIfAborted();
  const trial = await tryRule({
    ...{ rule, queries, notifyConfig, signal, to },
    from: range.from,
    mentions: storedMentions(stores, queries, range.learnFrom, ROWS),
    mostMs: limits.ms,
  });
  const cut = [
    ...range.cut,
    ...(trial.until < to
      ? [`It took too long and was cut: it covers the time until ${inUtc(trial.until)}.`]
      : []),
  ];
  const { firstAt } = trial.simulated;
  const start = Math.max(range.from, firstAt ?? range.from);
  if (start >= range.from + DAY / 2) cut.push(`Mentions are stored since ${toIso(start).slice(0, 10)} only.`);
  const shown = await shownQueries(trial, rule, queries, range.from, timezone, signal);
  const names = new Map(queries.map((query) => [query.queryId, query]));
  const { alerts } = trial.simulated;
  return {
    outcome: "Tried",
    from: start,
    to,
    until: trial.until,
    learnedFrom: Math.max(range.learnFrom, firstAt ?? range.learnFrom),
    cut,
    mentions: trial.mentions,
    matched: trial.matched,
    examples: trial.examples.flatMap((mention) => {
      const query = names.get(mention.queryId);
      if (query === undefined) return [];
      const { projectId, name } = query;
      return [{ mention, projectId, queryName: name, eventAt: eventAt(mention) }];
    }),
    alertCount: alerts.length,
    alerts: alerts.slice(-ALERTS).reverse(),
    messages: messagesOf(trial),
    queries: shown,
    queryCount: queries.length,
    tookMs: Math.round(monotonicMs() - started),
  };
}

function messagesOf({ simulated }: Trial): readonly { receiver: string; messages: number }[] {
  const counts = new Map<string, number>();
  for (const { receiver } of simulated.notifications) counts.set(receiver, (counts.get(receiver) ?? 0) + 1);
  return [...counts]
    .map(([receiver, messages]) => ({ receiver, messages }))
    .sort((a, b) => b.messages - a.messages);
}

async function shownQueries(
  trial: Trial,
  rule: Rule,
  queries: readonly Query[],
  from: Instant,
  zone: string,
  signal: AbortSignal,
): Promise<readonly TriedQuery[]> {
  const { simulated, matchedBy, counts, until } = trial;
  const known = queries
    .map((query) => ({
      query,
      matched: matchedBy.get(query.queryId) ?? 0,
      alerts: simulated.alerts.filter(({ queryId }) => queryId === query.queryId),
    }))
    .sort((a, b) => b.alerts.length - a.alerts.length || b.matched - a.matched)
    .slice(0, QUERIES);
  const shown: TriedQuery[] = [];
  for (const { query, matched, alerts } of known) {
    signal.throwIfAborted();
    const ids = new Set(alerts.map(({ id }) => id));
    const chart =
      shown.length >= CHARTS
        ? null
        : await drawTry({
            query,
            counts: counts.get(query.queryId) ?? new Map(),
            subject: subjectOf(rule),
            alerts,
            notifiedAt: [
              ...new Set(
                simulated.notifications
                  .filter(
                    ({ alertId, createdAt }) => alertId !== null && ids.has(alertId) && createdAt >= from,
                  )
                  .map(({ createdAt }) => floorTo(createdAt, BUCKET_MS)),
              ),
            ],
            since: simulated.firstAt ?? from,
            ...{ from, to: until, zone },
          });
    shown.push({ name: query.name, matched, alerts: alerts.length, chart });
  }
  return shown;
}

function subjectOf(rule: Rule): string {
  if (rule.kind === "window") return rule.window.subject;
  return rule.kind === "new" ? rule.novelty.subject : "matching mentions";
}
