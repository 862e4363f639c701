import type { Instant } from "../../lib/instant.ts";
import { wireTime } from "../records/wire-time.ts";
import type { PageRow } from "../store/mention-page.ts";
import type { Total } from "../store/mention-totals.ts";

export interface MentionsAnswer {
  readonly rows: readonly PageRow[];
  readonly total: Total;
  readonly page: number;
  readonly pageSize: number;
  readonly nextCursor: string | undefined;
  readonly prevCursor: string | undefined;
  /** Answers to a cursor name mention ids too. */
  readonly isCursorAnswer: boolean;
  readonly from: Instant;
  readonly to: Instant;
}

/** The response as JSON text. The records are text already, so a page costs one concatenation. */
export function mentionsEnvelope(answer: MentionsAnswer): string {
  const { rows, total } = answer;
  const inResult = rows.reduce((highest, row) => Math.max(highest, row.mentionId), -1);
  const rest = JSON.stringify({
    resultsTotal: total.count,
    scaledResultsTotal: total.count,
    resultsPage: answer.page,
    resultsPageSize: answer.pageSize,
    nextCursor: answer.nextCursor,
    prevCursor: answer.prevCursor,
    ...(answer.isCursorAnswer ? { maximumId: total.maximumId, maximumIdInResult: inResult } : {}),
    startDate: wireTime(answer.from),
    endDate: wireTime(answer.to),
  });
  return `{"results":[${rows.map((row) => row.record).join(",")}],${rest.slice(1)}`;
}
