import { setTimeout as delay } from "node:timers/promises";
import { type ApiCall, fetchPages, type RawParams, type SourceClient, SourceError } from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { SECOND } from "../../lib/instant.ts";
import { counted, formatNumber } from "../../lib/numbers.ts";
import { retryDelayMs } from "../../lib/retry.ts";
import type { Row } from "../common/format-table.ts";
import { recordsOf } from "./print-answer.ts";

const PAGE_SIZE = "5000";
const MOST_TRIES = 6;

interface FetchAllParts {
  readonly write: (records: readonly unknown[]) => Promise<void>;
  readonly printResult: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Writes every record of an answer; mentions page by page. Retries transient failures and waits for the rate limit.
 * After a final failure it prints the cursor to go on from.
 */
export async function fetchAll(
  call: ApiCall,
  params: RawParams,
  client: SourceClient,
  parts: FetchAllParts,
): Promise<void> {
  const { write, printResult, signal } = parts;
  if (!call.isPaged) {
    const answer = await client.ask(call.name, params);
    const records = recordsOf(answer) ?? [answer];
    await write(records);
    return printResult(`${formatNumber(records.length)} written`);
  }
  const given = new Map(params.parameters);
  const pageSize = given.get("pageSize") ?? PAGE_SIZE;
  const others = params.parameters.filter(([name]) => !["cursor", "page", "pageSize"].includes(name));
  const first = given.get("cursor") ?? null;
  let [written, pages, all, place] = [0, 0, "", first];
  const fetchPage = (cursor: string | null, signal: AbortSignal): Promise<RawPage> => {
    place = cursor;
    const parameters = [...others, ["pageSize", pageSize] as const];
    if (cursor !== null) parameters.push(["cursor", cursor]);
    const ask = async () => toRawPage(await client.ask(call.name, { ...params, parameters }, { signal }));
    return patiently(ask, parts);
  };
  try {
    const size = Number.isFinite(Number(pageSize)) ? Number(pageSize) : null;
    const options = { cursor: first, pageSize: size, endOnShortPage: true, signal };
    for await (const page of fetchPages(fetchPage, options)) {
      await write(page.mentions);
      written += page.mentions.length;
      pages += 1;
      all = page.total === null ? "" : ` of ${formatNumber(page.total)}`;
    }
  } catch (error) {
    if (place !== null) printResult(`To go on from here, add --param cursor=${place}`);
    throw error;
  } finally {
    const what = all === "" ? counted(written, "mention") : `${formatNumber(written)}${all} mentions`;
    printResult(`${what} written, ${counted(pages, "page")}`);
  }
}

type RawPage = ReturnType<typeof toRawPage>;

function toRawPage(answer: unknown) {
  const records = recordsOf(answer);
  if (records === null) {
    const message = "200 with JSON that holds no list of results";
    throw new SourceError({ kind: "malformed", call: "mentions", status: 200, message, retryable: true });
  }
  const { nextCursor, resultsPageSize, resultsTotal } = answer as Row;
  return {
    mentions: records,
    rejected: [],
    nextCursor: typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : null,
    pageSize: typeof resultsPageSize === "number" && resultsPageSize > 0 ? resultsPageSize : null,
    total: typeof resultsTotal === "number" && resultsTotal >= 0 ? resultsTotal : null,
  };
}

/** Retries a call while its error is retryable. */
async function patiently<T>(work: () => Promise<T>, { printResult, signal }: FetchAllParts): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isWorthIt = error instanceof SourceError && error.retryable && error.kind !== "aborted";
      if (!isWorthIt || attempt >= MOST_TRIES) throw error;
      const waitMs = retryDelayMs(attempt, error.retryAfterMs ?? undefined, 0);
      if (waitMs >= SECOND) printResult(`${error.message}; going on in ${formatDuration(waitMs)}`);
      await delay(waitMs, undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}
