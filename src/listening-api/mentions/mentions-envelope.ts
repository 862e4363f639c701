import type { Instant } from "../../lib/instant.ts";
import type { RecordVersion } from "../records/record-view.ts";
import { wireTime } from "../records/wire.ts";
import type { PageRow } from "../store/mention-page.ts";
import type { Total } from "../store/mention-totals.ts";

interface MentionsAnswer {
  readonly rows: readonly PageRow[];
  readonly total: Pick<Total, "count" | "maximumId">;
  /** What the total would be if no query were sampled. */
  readonly scaledTotal: number;
  readonly version: RecordVersion;
  readonly page: number;
  readonly pageSize: number;
  readonly nextCursor: string | undefined;
  readonly prevCursor: string | undefined;
  /** Answers to a cursor, and all of the earlier version, name mention ids too. */
  readonly isCursorAnswer: boolean;
  readonly from: Instant;
  readonly to: Instant;
}

/** The response as JSON text, in pieces: all that is known of the page, around the records as they are read. */
export async function* mentionsEnvelope(
  answer: MentionsAnswer,
  records: AsyncIterable<readonly string[]>,
): AsyncGenerator<string> {
  yield '{"results":[';
  let isFirst = true;
  for await (const some of records) {
    if (some.length > 0) yield (isFirst ? "" : ",") + some.join(",");
    isFirst &&= some.length === 0;
  }
  yield `],${envelopeEnd(answer).slice(1)}`;
}

function envelopeEnd(answer: MentionsAnswer): string {
  const { rows, total } = answer;
  const inResult = rows.reduce((highest, row) => Math.max(highest, row.mentionId), -1);
  const namesIds = answer.isCursorAnswer || answer.version === "earlier";
  return JSON.stringify({
    resultsTotal: total.count,
    ...(answer.version === "current" ? { scaledResultsTotal: answer.scaledTotal } : {}),
    resultsPage: answer.page,
    resultsPageSize: answer.pageSize,
    nextCursor: answer.nextCursor,
    prevCursor: answer.prevCursor,
    ...(namesIds ? { maximumId: total.maximumId, maximumIdInResult: inResult } : {}),
    startDate: wireTime(answer.from),
    endDate: wireTime(answer.to),
  });
}

/** Percentage of what matches that each query keeps, by query id; 100 for a query that is not sampled. */
export type SamplePercentages = ReadonlyMap<number, number>;

/** Queries of one percentage: they are counted together. */
export interface SampledPart {
  readonly queryIds: readonly number[];
  readonly percentage: number;
}

/**
 * How many mentions there would be if no query were sampled: the count of each query, extrapolated. Calls about queries that
 * keep everything count once: `total` is given for that. `countOf` counts those mentions of a part that its sample keeps, as
 * a query may have others from before it was sampled.
 */
export async function scaledTotal(
  queryIds: readonly number[],
  percentages: SamplePercentages,
  total: number,
  countOf: (part: SampledPart) => Promise<number>,
): Promise<number> {
  const parts = byPercentage(queryIds, percentages);
  if ([...parts.keys()].every((percentage) => percentage === 100)) return total;
  let sum = 0;
  for (const [percentage, ids] of parts)
    sum += Math.round(((await countOf({ queryIds: ids, percentage })) * 100) / percentage);
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
