import { formatDuration } from "../../lib/duration.ts";
import type { QueryRhythm } from "../../model/pipeline-facts.ts";

export type SilentQuery =
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
