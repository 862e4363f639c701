import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Instant, toIso } from "../../lib/instant.ts";
import { assignQueries, readProjectQueries, withMatchPositions } from "../assign/assign-queries.ts";
import { applyRules } from "../assign/project-rules.ts";
import { EMPTY_MENTION } from "../records/empty-fields.ts";
import { isInSample } from "../records/mention-id.ts";
import { createDatabase, type DatabasePool } from "../store/database.ts";
import { insertMentions, refreshMentionStatistics } from "../store/insert-mentions.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { deleteImportProgress, putImportProgress, readImportProgress } from "../store/progress.ts";
import { findProjectById } from "../store/projects.ts";
import { listQueries } from "../store/queries.ts";
import { beginWriting } from "../store/write-order.ts";
import { IMPORT_FIELDS } from "./csv-columns.ts";
import { type ImportLine, parseImportLine } from "./import-line.ts";
import { createImportTargets } from "./import-targets.ts";
import { enteringAt, importedMention } from "./imported-mention.ts";
import { type ImportFormat, readImportRows } from "./read-import-rows.ts";

export interface ImportOptions {
  readonly pool: DatabasePool;
  /** A file with one mention a line, as `ImportLine` describes it. */
  readonly path: string;
  /** JSON Lines unless set otherwise. */
  readonly format?: ImportFormat;
  /** Every mention goes into this query, regardless of the file. */
  readonly query?: string | undefined;
  /**
   * The mentions enter now, as when the live service looks back: `added` is the moment of their batch, `date` stays.
   */
  readonly arriveAt?: () => Instant;
  /** The page type of mentions whose lines and addresses do not show it. */
  readonly pageType?: string | undefined;
  /** Mentions dated later are reported as not yet visible. */
  readonly now?: Instant;
  /** Where the queries and the category are made, see `seedAccount`. */
  readonly projectId: number;
  /** Called with the line from which an interrupted import resumes. */
  readonly onResume?: (afterLine: number) => void;
  /** Called after each batch. */
  readonly onProgress?: (progress: { linesRead: number; bytesRead: number }) => void;
  readonly signal?: AbortSignal;
}

export interface ImportResult {
  /** New mentions. */
  readonly imported: number;
  /** Known mentions: from another import of the same file, or an id that occurs in it twice. */
  readonly alreadyThere: number;
  /** Lines that name no query and match none: they are not stored. */
  readonly unmatched: number;
  /** Mentions of sampled queries that their sample leaves out: they are not stored. */
  readonly sampledOut: number;
  /** Mentions that enter later than now. */
  readonly notYetShown: number;
  /** Fields or columns that an import does not use, the first hundred. */
  readonly unusedFields: readonly string[];
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
const MOST_UNUSED = 100;
/** Line fields, and wire fields that follow from the others. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([...IMPORT_FIELDS, ...Object.keys(EMPTY_MENTION), "guid"]);

/**
 * Reads a file of mentions into a project, in constant memory and batch by batch; each batch is one transaction. An
 * interrupted import resumes when it is started again; a repeated complete one stores nothing twice. Rejects if the
 * file cannot be read.
 */
export async function importMentions(options: ImportOptions): Promise<ImportResult> {
  const db = createDatabase(options.pool);
  const targets = createImportTargets(db, options.projectId);
  const projectQueries = await readProjectQueries(db, options.projectId);
  const skipped: { line: number; reason: string }[] = [];
  const queries = new Map<string, { id: number; mentions: number }>();
  const percentages = new Map(
    (await listQueries(db, options.projectId)).map(({ id, samplePercentage }) => [id, samplePercentage]),
  );
  const project = await findProjectById(db, options.projectId);
  const unused = new Set<string>();
  const key = await progressKey(options);
  const afterLine = await readImportProgress(db, key);
  if (afterLine > 0) options.onResume?.(afterLine);
  let [imported, mentions, unmatched, skippedTotal, linesRead] = [0, 0, 0, 0, afterLine];
  let [sampledOut, notYetShown] = [0, 0];
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let batch: MentionVersion[] = [];

  async function storeBatch(): Promise<void> {
    const [stored, versions, lines] = [imported, batch, linesRead];
    imported =
      stored +
      (await db.transaction().execute(async (transaction) => {
        await putImportProgress(transaction, key, lines);
        const labelled = await applyRules(transaction, project, versions);
        const { arriveAt } = options;
        // The stamps of the file are kept: they belong to the past, and to no order of writing.
        if (arriveAt === undefined) return insertMentions(transaction, labelled);
        const at = await beginWriting(transaction, [options.projectId], arriveAt);
        return insertMentions(
          transaction,
          labelled.map((version) => enteringAt(version, at)),
        );
      }));
    batch = [];
    options.onProgress?.({ linesRead, bytesRead: file.bytesRead });
  }

  function skip(line: number, reason: string): void {
    skippedTotal++;
    if (skipped.length < REASONS_KEPT) skipped.push({ line, reason });
  }

  function noteUnused(names: readonly string[]): void {
    for (const name of names) if (unused.size < MOST_UNUSED) unused.add(name);
  }

  async function take(line: ImportLine): Promise<void> {
    const labels = await targets.labelsOf(line);
    const versions = await inQueries(line, (query) => importedMention(line, query, labels));
    if (versions.length === 0) unmatched++;
    for (const version of versions) {
      const { queryName, queryId, resourceId } = version.record;
      if (!isInSample(resourceId, percentages.get(queryId) ?? 100)) {
        sampledOut++;
        continue;
      }
      if (options.now !== undefined && version.visibleAt > options.now) notYetShown++;
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
  const format: ImportFormat = {
    ...(options.format ?? { kind: "jsonl" }),
    afterLine,
    onUnused: (columns) => noteUnused(columns),
  };
  for await (const row of readImportRows(file, format)) {
    const parsed = "reason" in row ? row : parseImportLine(preset(row.value, options));
    if ("value" in row && typeof row.value === "object" && row.value !== null)
      for (const name in row.value) if (!KNOWN_FIELDS.has(name)) noteUnused([name]);
    if ("reason" in parsed) skip(row.line, parsed.reason);
    else await take(parsed);
    linesRead = row.line;
    if (batch.length >= BATCH) await storeBatch();
  }
  await storeBatch();
  await deleteImportProgress(db, key);
  if (imported > 0) await refreshMentionStatistics(db);
  const isEmpty = mentions === 0;
  return {
    imported,
    alreadyThere: mentions - imported,
    unmatched,
    sampledOut,
    notYetShown,
    unusedFields: [...unused],
    skipped,
    skippedTotal,
    from: isEmpty ? null : from,
    to: isEmpty ? null : to,
    queries,
  };
}

/** An option for all mentions counts more than a field of one. */
function preset(value: unknown, { query, arriveAt, pageType }: ImportOptions): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (query === undefined && arriveAt === undefined && pageType === undefined) return value;
  const now = arriveAt === undefined ? undefined : toIso(arriveAt());
  return {
    ...(pageType === undefined ? {} : { pageType }),
    ...value,
    ...(query === undefined ? {} : { brand: query }),
    ...(now === undefined ? {} : { added: now, updated: now, backfilled: true }),
  };
}

/** The same file (size, moment of its last change, name), into the same project with the same options. */
async function progressKey(options: ImportOptions): Promise<Buffer> {
  const { size, mtimeMs } = await stat(options.path);
  const { projectId, query, pageType, format } = options;
  const way = [projectId, query, pageType, format?.kind, format?.columns, format?.dates];
  return createHash("sha256")
    .update(JSON.stringify([resolve(options.path), size, mtimeMs, way]))
    .digest();
}
