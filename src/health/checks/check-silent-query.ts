import { formatDuration } from "../../lib/duration.ts";
import type { QueryRhythm } from "../../model/pipeline-facts.ts";

export type SilentQuery =
  | { readonly outcome: "TooShort" }
  /** Fewer days are known than a rhythm takes. */
  | { readonly outcome: "NoRhythm" }
  /** Quiet at this hour on other days, too. */
  | { readonly outcome: "UsuallyQuiet" }
  | { readonly outcome: "Silent"; readonly usual: number; readonly because: string };

/** Days with the same hours that have to be known. */
const LEAST_DAYS = 3;
/** Mentions that a quiet day brings in these hours. None at all is then no chance, even for a restless query. */
const LEAST_USUAL = 12;

/**
 * Whether a query is silent against its own rhythm: it brought nothing, and in the same hours of earlier days it brought
 * LEAST_USUAL or more even on the quieter ones. Measured by the lower quartile, so that a query that rests at weekends
 * is not missed on a Saturday, and one day of uproar does not raise what is expected.
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
    because: `nothing new for ${formatDuration(silentMs)}; in the same hours of the last ${rhythm.before.length} days it brought ${usual} or more on three days of four. Look at the query at the source: it may have been changed, paused or emptied`,
  };
}

function lowerQuartile(counts: readonly number[]): number {
  const sorted = [...counts].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 4)] ?? 0;
}
