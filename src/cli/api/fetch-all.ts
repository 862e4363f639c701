import { setTimeout as delay } from "node:timers/promises";
import { type ApiCall, fetchPages, type RawParams, type SourceClient, SourceError } from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import { SECOND } from "../../lib/instant.ts";
import { counted, formatNumber } from "../../lib/numbers.ts";
import { retryDelayMs } from "../../lib/retry.ts";
import { recordsOf } from "./format-answer.ts";
import type { Terminal } from "./options.ts";
import { sanitizeJson, sanitizeLine } from "./sanitize-terminal.ts";
import type { Writer } from "./writer.ts";

const PAGE_SIZE = 5_000;
const MOST_TRIES = 6;

interface FetchAllParts {
  readonly writer: Writer;
  readonly terminal: Terminal;
  readonly printResult: (line: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Writes every record of an answer as a line of JSON; mentions page by page. Retries transient failures and waits for
 * the rate limit. After a final failure it prints the cursor to go on from.
 */
export async function fetchAll(
  call: ApiCall,
  params: RawParams,
  client: SourceClient,
  fetched: FetchAllParts,
): Promise<void> {
  const { writer, printResult } = fetched;
  if (!call.isPaged) {
    const answer = await client.ask(call.name, params);
    const records = recordsOf(answer) ?? [answer];
    await writer.write(records.map((record) => `${sanitizeJson(record)}\n`).join(""));
    return printResult(`${formatNumber(records.length)} written`);
  }
  const asked = split(params.parameters);
  const progress = createProgress(fetched);
  let place = asked.cursor;
  const fetchPage = async (cursor: string | null, signal: AbortSignal): Promise<RawPage> => {
    place = cursor;
    const parameters = [...asked.others, ...(cursor === null ? [] : [["cursor", cursor] as const])];
    return patiently(
      async () => toRawPage(await client.ask(call.name, { ...params, parameters }, { signal })),
      fetched,
    );
  };
  try {
    const pages = fetchPages(fetchPage, {
      cursor: asked.cursor,
      pageSize: asked.pageSize,
      endOnShortPage: true,
      signal: fetched.signal,
    });
    for await (const page of pages) {
      for (const record of page.mentions) await writer.write(`${sanitizeJson(record)}\n`);
      progress.add(page.mentions.length, page.total);
    }
    progress.end();
  } catch (error) {
    progress.end();
    if (place !== null) printResult(`To go on from here, add --param cursor=${place}`);
    throw error;
  }
}

interface RawPage {
  readonly mentions: readonly unknown[];
  readonly rejected: readonly never[];
  readonly nextCursor: string | null;
  readonly pageSize: number | null;
  readonly total: number | null;
}

function toRawPage(answer: unknown): RawPage {
  const records = recordsOf(answer);
  const envelope = (answer ?? {}) as {
    readonly [field in "nextCursor" | "resultsPageSize" | "resultsTotal"]?: unknown;
  };
  const { nextCursor, resultsPageSize, resultsTotal } = envelope;
  if (records === null) {
    const message = "200 with JSON that holds no list of results";
    throw new SourceError({ kind: "malformed", call: "mentions", status: 200, message, retryable: true });
  }
  return {
    mentions: records,
    rejected: [],
    nextCursor: typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : null,
    pageSize: typeof resultsPageSize === "number" && resultsPageSize > 0 ? resultsPageSize : null,
    total: typeof resultsTotal === "number" && resultsTotal >= 0 ? resultsTotal : null,
  };
}

function split(parameters: RawParams["parameters"]) {
  const given = (wanted: string): string | undefined => parameters.find(([name]) => name === wanted)?.[1];
  const pageSize = Number(given("pageSize") ?? PAGE_SIZE);
  const others = parameters.filter(([name]) => !["cursor", "page", "pageSize"].includes(name));
  return {
    cursor: given("cursor") ?? null,
    pageSize: Number.isFinite(pageSize) ? pageSize : null,
    others: [...others, ["pageSize", given("pageSize") ?? String(PAGE_SIZE)] as const],
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

/** Shows a live counter on a terminal; in a pipe, only the final count. */
function createProgress({ terminal, printResult }: FetchAllParts) {
  const isLive = terminal.stderr.isTTY === true;
  let written = 0;
  let pages = 0;
  let all = "";
  const state = (): string => `${formatNumber(written)}${all} mentions written, ${counted(pages, "page")}`;
  return {
    add: (count: number, total: number | null): void => {
      written += count;
      pages += 1;
      all = total === null ? "" : ` of ${formatNumber(total)}`;
      if (isLive) terminal.stderr.write(`\r\u001b[K${sanitizeLine(state())}`);
    },
    end: (): void => {
      if (isLive) terminal.stderr.write("\r\u001b[K");
      printResult(state());
    },
  };
}
