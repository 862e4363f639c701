import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { Mention, Query, SourceClient, SourceError } from "#monitor";
import { systemClock } from "../../lib/clock.ts";
import { DAY, type Instant, SECOND } from "../../lib/instant.ts";

/** How far a copy of mentions is; it stands beside the mentions. */
const Progress = z.object({
  /** The range that the copy is of. */
  from: z.number(),
  to: z.number(),
  /** The query that is being read, by its index. */
  query: z.number(),
  cursor: z.string().nullable(),
  mentions: z.number(),
  /** Of the file, as far as it is part of the copy: a torn page at its end is not. */
  bytes: z.number(),
});
type Progress = z.infer<typeof Progress>;

interface ApiCopyOptions {
  /** Its calls wait for free slots of the rate budget by themselves. */
  readonly source: Pick<SourceClient, "mentions">;
  /** Distinguishes accounts, without secrets. */
  readonly account: string;
  readonly queries: readonly Query[];
  readonly from: Instant;
  readonly to: Instant;
  readonly pageSize: number;
  /** The data folder: the copy lies in `backtest/` there. */
  readonly home: string;
  readonly onProgress: (progress: { readonly query: string; readonly mentions: number }) => void;
  readonly signal: AbortSignal;
}

/** A copy is used again for this long, so that the next rule costs no call. */
const KEPT_MS = DAY;
/** Without a time from the source. */
const RETRY_MS = 30 * SECOND;
const MOST_RETRIES = 20;

/**
 * Copies the mentions of a range from the Listening API to the data folder, page by page, and returns them in the order
 * in which they were added. An interrupted copy goes on after its last page; a complete one of the last day is used as
 * it is. Rejects with the error of the source, or if `signal` is aborted.
 */
export async function copyFromApi(
  options: ApiCopyOptions,
): Promise<{ readonly from: Instant; readonly to: Instant; readonly mentions: readonly Mention[] }> {
  const { account, queries, from, to } = options;
  const folder = join(options.home, "backtest");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // No delete reaches a copy, so it does not outlive its use.
  await removeCopies(options.home, systemClock.now() - KEPT_MS);
  const ids = queries.map(({ projectId, queryId }) => [projectId, queryId]);
  const name = createHash("sha256")
    .update(JSON.stringify([account, ids, to - from]))
    .digest("hex")
    .slice(0, 16);
  const files = { mentions: join(folder, `${name}.jsonl`), progress: join(folder, `${name}.json`) };
  const known = await readProgress(files.progress);
  const isFresh = known !== null && to - known.to < KEPT_MS;
  const start = isFresh ? known : { from, to, query: 0, cursor: null, mentions: 0, bytes: 0 };
  if (isFresh) await truncate(files.mentions, start.bytes);
  else await writeFile(files.mentions, "", { mode: 0o600 });
  const end = await copyPages(options, start, files);
  return { from: end.from, to: end.to, mentions: await readCopy(files.mentions) };
}

/** Deletes copies that were last written before this moment: they hold texts. */
export async function removeCopies(home: string, before: Instant): Promise<number> {
  const folder = join(home, "backtest");
  const names = await readdir(folder).catch(() => []);
  let removed = 0;
  for (const name of names.filter((one) => /^[0-9a-f]{16}\.jsonl?$/.test(one))) {
    const file = join(folder, name);
    const { mtimeMs } = await stat(file);
    if (mtimeMs >= before) continue;
    await rm(file, { force: true });
    if (name.endsWith(".jsonl")) removed++;
  }
  return removed;
}

async function copyPages(
  options: ApiCopyOptions,
  start: Progress,
  files: { readonly mentions: string; readonly progress: string },
): Promise<Progress> {
  let progress = start;
  let retries = 0;
  let restarted = -1;
  const keep = async (next: Progress): Promise<void> => {
    progress = next;
    // A crash leaves the old state or the new one.
    await writeFile(`${files.progress}.new`, JSON.stringify(progress), { mode: 0o600 });
    await rename(`${files.progress}.new`, files.progress);
  };
  while (progress.query < options.queries.length) {
    options.signal.throwIfAborted();
    const query = options.queries[progress.query];
    if (query === undefined) break;
    try {
      for await (const page of options.source.mentions(
        {
          projectId: query.projectId,
          queryIds: [query.queryId],
          startDate: progress.from,
          endDate: progress.to,
          orderBy: "added",
          orderDirection: "asc",
          pageSize: options.pageSize,
          cursor: progress.cursor,
        },
        { signal: options.signal },
      )) {
        retries = 0;
        const lines = page.mentions.map(lineOf).join("");
        await appendFile(files.mentions, lines);
        await keep({
          ...progress,
          cursor: page.nextCursor ?? progress.cursor,
          mentions: progress.mentions + page.mentions.length,
          bytes: progress.bytes + Buffer.byteLength(lines),
        });
        options.onProgress({ query: query.name, mentions: progress.mentions });
      }
      await keep({ ...progress, query: progress.query + 1, cursor: null });
    } catch (error) {
      // A server may forget its cursors: this query is read anew, once, and what comes twice counts once.
      if (progress.cursor !== null && progress.query !== restarted && isRejected(error)) {
        restarted = progress.query;
        await keep({ ...progress, cursor: null });
        continue;
      }
      const waitMs = retryAfter(error);
      if (waitMs === null || ++retries > MOST_RETRIES) throw error;
      await truncate(files.mentions, progress.bytes);
      await delay(waitMs, undefined, { signal: options.signal });
    }
  }
  return progress;
}

/** Readers of lines end one at these two signs as well, which JSON leaves as they are. */
function lineOf(mention: Mention): string {
  const json = JSON.stringify(mention);
  return `${json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}

/** How long to wait before the same page is asked for again; null for an error that stays. */
function retryAfter(error: unknown): number | null {
  if (!(error instanceof Error) || error.name !== "SourceError") return null;
  const { retryable, retryAfterMs } = error as SourceError;
  return retryable ? Math.max(SECOND, retryAfterMs ?? RETRY_MS) : null;
}

function isRejected(error: unknown): boolean {
  return error instanceof Error && error.name === "SourceError" && (error as SourceError).kind === "rejected";
}

async function readProgress(file: string): Promise<Progress | null> {
  try {
    const parsed = Progress.safeParse(JSON.parse(await readFile(file, "utf8")));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

async function readCopy(file: string): Promise<readonly Mention[]> {
  const mentions = new Map<string, Mention>();
  const deleted = new Set<string>();
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    const mention = JSON.parse(line) as Mention;
    const key = `${mention.queryId} ${mention.resourceId}`;
    if (mention.isDeleted === true) deleted.add(key);
    else mentions.set(key, mention);
  }
  for (const key of deleted) mentions.delete(key);
  return [...mentions.values()].sort((a, b) => a.addedAt - b.addedAt);
}
