import type { MentionRange } from "../store/mention-range.ts";

/** Percentage of what matches that each query keeps, by query id; 100 for a query that is not sampled. */
export type SamplePercentages = ReadonlyMap<number, number>;

/**
 * How many mentions there would be if no query were sampled: the count of each query, extrapolated. Queries of one
 * percentage are counted together, so that a call about queries that keep everything counts once: `total` is given
 * for that, `countOf` counts a part of the range.
 */
export async function scaledTotal(
  range: MentionRange,
  percentages: SamplePercentages,
  total: number,
  countOf: (part: MentionRange) => Promise<number>,
): Promise<number> {
  const parts = byPercentage(range.queryIds, percentages);
  if (parts.size <= 1) return extrapolated(total, [...parts.keys()][0] ?? 100);
  let sum = 0;
  for (const [percentage, queryIds] of parts)
    sum += extrapolated(await countOf({ ...range, queryIds }), percentage);
  return sum;
}

function byPercentage(queryIds: readonly number[], percentages: SamplePercentages): Map<number, number[]> {
  const parts = new Map<number, number[]>();
  for (const queryId of queryIds) {
    const percentage = percentages.get(queryId) ?? 100;
    parts.set(percentage, [...(parts.get(percentage) ?? []), queryId]);
  }
  return parts;
}

function extrapolated(count: number, percentage: number): number {
  return Math.round((count * 100) / percentage);
}
