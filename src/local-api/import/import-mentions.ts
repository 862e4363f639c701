import { createReadStream } from "node:fs";
import { type Instant, toIso } from "../../lib/instant.ts";
import { assignQueries, withMatchPositions } from "../assign/assign-queries.ts";
import { readProjectQueries } from "../assign/project-queries.ts";
import { createDatabase, type DatabasePool } from "../store/database.ts";
import { insertMentions } from "../store/insert-mentions.ts";
import { refreshMentionStatistics } from "../store/mention-statistics.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { type ImportLine, parseImportLine } from "./import-line.ts";
import { createImportTargets } from "./import-targets.ts";
import { importedMention } from "./imported-mention.ts";
import { type ImportFormat, readImportRows } from "./read-import-rows.ts";

export interface ImportOptions {
  readonly pool: DatabasePool;
  /** A file with one mention a line, as `ImportLine` describes it. */
  readonly path: string;
  /** JSON Lines unless told otherwise. */
  readonly format?: ImportFormat;
  /** Every mention goes into this query, whatever the file says. */
  readonly query?: string;
  /** The mentions enter now, as when the live service looks back: `added` is this moment, `date` stays. */
  readonly arriveAt?: Instant;
  /** Where the queries and the category are made, see `seedAccount`. */
  readonly projectId: number;
  /** Called after each batch. */
  readonly onProgress?: (progress: { linesRead: number; bytesRead: number }) => void;
  readonly signal?: AbortSignal;
}

export interface ImportResult {
  /** Mentions that were not there before. */
  readonly imported: number;
  /** Mentions that were: another import of the same file, or an id that stands in it twice. */
  readonly alreadyThere: number;
  /** Lines that name no query and match none: they are not stored. */
  readonly unmatched: number;
  /** Lines that are no mention, the first thousand of them with their reason. */
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
  readonly skippedTotal: number;
  /** Dates of the earliest and the latest mention of the file; null when it has none. */
  readonly from: Instant | null;
  readonly to: Instant | null;
  /** Queries by name, with the mentions of the file for each. */
  readonly queries: ReadonlyMap<string, { readonly id: number; readonly mentions: number }>;
}

const BATCH = 500;
const REASONS_KEPT = 1_000;

/**
 * Reads a file of mentions into a project, in constant memory and batch by batch; each batch is one transaction, and
 * repeating an import stores nothing twice. Rejects when the file cannot be read.
 */
export async function importMentions(options: ImportOptions): Promise<ImportResult> {
  const db = createDatabase(options.pool);
  const targets = createImportTargets(db, options.projectId);
  const projectQueries = await readProjectQueries(db, options.projectId);
  const skipped: { line: number; reason: string }[] = [];
  const queries = new Map<string, { id: number; mentions: number }>();
  let [imported, mentions, unmatched, skippedTotal, linesRead] = [0, 0, 0, 0, 0];
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let batch: MentionVersion[] = [];

  async function storeBatch(): Promise<void> {
    imported += await insertMentions(db, batch);
    batch = [];
    options.onProgress?.({ linesRead, bytesRead: file.bytesRead });
  }

  function skip(line: number, reason: string): void {
    skippedTotal++;
    if (skipped.length < REASONS_KEPT) skipped.push({ line, reason });
  }

  async function take(line: ImportLine): Promise<void> {
    const labels = await targets.labelsOf(line);
    const versions = await inQueries(line, (query) => importedMention(line, query, labels));
    if (versions.length === 0) unmatched++;
    for (const version of versions) {
      const { queryName, queryId } = version.record;
      batch.push(version);
      mentions++;
      from = Math.min(from, line.date);
      to = Math.max(to, line.date);
      queries.set(queryName, { id: queryId, mentions: (queries.get(queryName)?.mentions ?? 0) + 1 });
    }
  }

  /** The mention in the query that the line names, or in all that it matches. */
  async function inQueries(
    { brand, date }: ImportLine,
    mentionIn: (query: { id: number; name: string }) => MentionVersion,
  ): Promise<MentionVersion[]> {
    if (!brand) return assignQueries(mentionIn({ id: 0, name: "" }), projectQueries);
    return [withMatchPositions(mentionIn(await targets.queryOf(brand, date)), projectQueries)];
  }

  const file = createReadStream(options.path, { signal: options.signal });
  for await (const row of readImportRows(file, options.format ?? { kind: "jsonl" })) {
    linesRead = row.line;
    const parsed = "reason" in row ? row : parseImportLine(preset(row.value, options));
    if ("reason" in parsed) skip(row.line, parsed.reason);
    else await take(parsed);
    if (batch.length >= BATCH) await storeBatch();
  }
  await storeBatch();
  if (imported > 0) await refreshMentionStatistics(db);
  const isEmpty = mentions === 0;
  return {
    imported,
    alreadyThere: mentions - imported,
    unmatched,
    skipped,
    skippedTotal,
    from: isEmpty ? null : from,
    to: isEmpty ? null : to,
    queries,
  };
}

/** What was said for all mentions counts more than what one of them says. */
function preset(value: unknown, { query, arriveAt }: ImportOptions): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const now = arriveAt === undefined ? undefined : toIso(arriveAt);
  return {
    ...value,
    ...(query === undefined ? {} : { brand: query }),
    ...(now === undefined ? {} : { added: now, updated: now, backfilled: true }),
  };
}
