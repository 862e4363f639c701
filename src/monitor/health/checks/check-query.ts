import { formatDuration } from "../../../lib/duration.ts";
import type { Instant } from "../../../lib/instant.ts";
import { nameSome, sentence } from "../../../lib/text.ts";
import type { QueryProgress, QueryRhythm } from "../../model/pipeline-facts.ts";
import type { Severity } from "../../model/severity.ts";

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
export function checkLag(
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
export function checkSilentQuery(rhythm: QueryRhythm, leastMs: number): SilentQuery {
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
