import { formatDuration } from "../../../lib/duration.ts";
import type { Instant } from "../../../lib/instant.ts";
import { nameSome, sentence } from "../../../lib/text.ts";
import { type HealthProblem, sourceLabel, sourceOfProblem } from "../../model/operator-rules.ts";
import type { QueryProgress, QueryRhythm } from "../../model/pipeline-facts.ts";
import { type SourceName, sourceOfProject } from "../../model/query.ts";
import type { Severity } from "../../model/severity.ts";
import type { HealthCheck } from "../define-check.ts";
import type { OperatorConfig } from "../operators.ts";
import type { PipelineHealth } from "../pipeline-health.ts";

type Lag =
  | { readonly outcome: "UpToDate" }
  /** Another reported problem is the reason. */
  | { readonly outcome: "Explained" }
  | {
      readonly outcome: "Lags";
      readonly since: Instant;
      readonly behind: number;
      readonly worstMs: number;
      readonly severity: Severity;
      readonly because: string;
    };

/** So many polls in a row may fail before there is a problem. */
const ROUNDS = 3;
/** An open alert ends at half the limit, so that a lag around the limit is one alert. */
const OVER_AT = 0.5;
/** From this multiple of the limit on, it is critical. */
const CRITICAL_AT = 4;

/** Whether queries lag more than they may. All of them are one problem, because they have one cause. */
function checkLag(
  progress: readonly QueryProgress[],
  terms: {
    readonly limitMs: number;
    readonly pollEveryMs: number;
    readonly isOpen: boolean;
    readonly explained: boolean;
    readonly upForMs: number;
  },
  now: Instant,
): Lag {
  const limitMs = Math.max(terms.limitMs, ROUNDS * terms.pollEveryMs);
  const beginsAt = terms.isOpen ? limitMs * OVER_AT : limitMs;
  const lagging = progress
    .map((query) => ({ query, lagMs: lagOf(query, now) }))
    .filter(({ lagMs }) => lagMs > beginsAt)
    .sort((a, b) => b.lagMs - a.lagMs);
  const [worst] = lagging;
  // After a day off Earshot needs time to catch up.
  if (worst === undefined || (!terms.isOpen && terms.upForMs < limitMs)) return { outcome: "UpToDate" };
  if (terms.explained) return { outcome: "Explained" };
  const reason = lagging.find(({ query }) => query.lastError !== null)?.query.lastError;
  const names = nameSome(lagging.map(({ query }) => query.queryName));
  return {
    outcome: "Lags",
    since: now - worst.lagMs,
    behind: lagging.length,
    worstMs: worst.lagMs,
    severity: worst.lagMs > CRITICAL_AT * limitMs ? "critical" : "warning",
    because: `alerts come late: ${lagging.length} of ${progress.length} queries are behind, by up to ${formatDuration(worst.lagMs)} (limit ${formatDuration(limitMs)}). Behind: ${names}. Nothing is lost: each is read on from where it stopped. ${reason == null ? "No call has failed: the account may allow too few calls for so many queries, or no process with the role poll runs" : `The last call to the source failed: ${sentence(reason)} earshot doctor tries the source`}`,
  };
}

/** The lag of a query that was never read to its end counts from when it was first watched. */
export function lagOf({ completeUntil, watchFrom }: QueryProgress, now: Instant): number {
  return Math.max(0, now - (completeUntil ?? watchFrom));
}

type SilentQuery =
  | { readonly outcome: "TooShort" }
  /** Too few days are known. */
  | { readonly outcome: "NoRhythm" }
  /** Quiet at this hour on other days, too. */
  | { readonly outcome: "UsuallyQuiet" }
  | { readonly outcome: "Silent"; readonly usual: number; readonly because: string };

/** Known days with the same hours that the check needs. */
const LEAST_DAYS = 3;
/** Mentions of a quiet day in these hours. None at all is then no accident, even for an uneven query. */
const LEAST_USUAL = 12;

/**
 * Whether a query is silent at an hour at which it is usually busy: it brought nothing, and in the same hours of
 * earlier days at least LEAST_USUAL even on quiet ones. It uses the lower quartile: then a query that is quiet at
 * weekends raises no alert on a Saturday, and one very busy day does not raise the expectation.
 */
function checkSilentQuery(rhythm: QueryRhythm, leastMs: number): SilentQuery {
  const silentMs = rhythm.completeUntil - rhythm.silentSince;
  if (silentMs < leastMs) return { outcome: "TooShort" };
  if (rhythm.before.length < LEAST_DAYS) return { outcome: "NoRhythm" };
  const usual = lowerQuartile(rhythm.before);
  if (usual < LEAST_USUAL) return { outcome: "UsuallyQuiet" };
  return {
    outcome: "Silent",
    usual,
    because: `no new mention for ${formatDuration(silentMs)}. In the same hours of the last ${rhythm.before.length} days there were ${usual} or more on three days of four. If people still write about it, its alerts are missing: look at the query at the source, which may have been changed, paused or emptied`,
  };
}

function lowerQuartile(counts: readonly number[]): number {
  const sorted = [...counts].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 4)] ?? 0;
}

/** Queries that are behind or silent. The problem of their source explains both. */
export const queryCheck: HealthCheck = (health, settings, found) =>
  SOURCES.flatMap((source) => {
    const isOwn = ({ projectId }: { readonly projectId: string }) => sourceOfProject(projectId) === source;
    const own = { ...health, progress: health.progress.filter(isOwn), rhythms: health.rhythms.filter(isOwn) };
    const explained = found.some((one) => EXPLAIN.has(one.rule) && sourceOfProblem(one) === source);
    return [
      ...lagProblems(source, own, settings, explained),
      ...(explained ? [] : silentQueries(source, own, settings)),
    ];
  });

const SOURCES = ["account", "feeds"] as const;
const EXPLAIN: ReadonlySet<string> = new Set(["source-refuses", "source-rate-limited"]);

/** More silent queries than this at once have one cause, and are one problem. */
const MOST_SILENT = 5;

function lagProblems(
  source: SourceName,
  health: PipelineHealth,
  settings: OperatorConfig,
  explained: boolean,
): HealthProblem[] {
  const lag = checkLag(
    health.progress,
    {
      limitMs: settings.lag,
      pollEveryMs: health.pollEveryMs[source],
      isOpen: health.openLags.has(source),
      explained,
      upForMs: health.upForMs,
    },
    health.now,
  );
  if (lag.outcome !== "Lags") return [];
  const { since, because, severity, behind, worstMs } = lag;
  return [
    {
      ...{ rule: "source-lag", labels: sourceLabel(source), since, because, severity },
      values: { queries: behind, lagMs: worstMs },
    },
  ];
}

function silentQueries(
  source: SourceName,
  health: PipelineHealth,
  settings: OperatorConfig,
): HealthProblem[] {
  const silent = health.rhythms.flatMap((rhythm): HealthProblem[] => {
    const verdict = checkSilentQuery(rhythm, settings.silence);
    if (verdict.outcome !== "Silent") return [];
    const { queryName, queryId, silentSince } = rhythm;
    return [
      {
        rule: "query-silent",
        labels: { query: queryName, queryId },
        since: silentSince,
        because: `${queryName}: ${verdict.because}`,
        values: { usual: verdict.usual },
      },
    ];
  });
  if (silent.length <= MOST_SILENT) return silent;
  return [
    {
      rule: "query-silent",
      labels: { query: "many", ...sourceLabel(source) },
      since: Math.min(...silent.map(({ since }) => since)),
      because: `${silent.length} queries that are usually busy at this hour bring no new mention. If people still write, all alerts on them are missing. So many at once point to the source itself: ask its support whether it still collects`,
      values: { queries: silent.length },
    },
  ];
}
