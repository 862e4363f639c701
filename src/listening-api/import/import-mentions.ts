import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Instant, toIso } from "../../lib/instant.ts";
import { applyRules } from "../assign/project-rules.ts";
import { EMPTY_MENTION } from "../records/empty-fields.ts";
import { createDatabase, type DatabasePool } from "../store/database.ts";
import { insertMentions, refreshMentionStatistics } from "../store/insert-mentions.ts";
import { deleteImportProgress, putImportProgress, readImportProgress } from "../store/progress.ts";
import { findProjectById } from "../store/projects.ts";
import { beginWriting, lockWriting } from "../store/write-order.ts";
import { type AssignedLine, createLineAssignment } from "./assign-lines.ts";
import { IMPORT_FIELDS } from "./csv-columns.ts";
import { parseImportLine } from "./import-line.ts";
import { enteringAt } from "./imported-mention.ts";
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
  /** Mentions dated later are reported as not yet visible; with `arriveAt` all are visible. */
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

/** Mentions that are stored at once, and lines: of many that no query has, each is still in memory. */
const BATCH = 500;
const MOST_LINES = 5_000;
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
  const assignment = createLineAssignment(db, options.projectId);
  const project = await findProjectById(db, options.projectId);
  const tally = createTally(options);
  const key = await progressKey(options);
  const afterLine = await readImportProgress(db, key);
  if (afterLine > 0) options.onResume?.(afterLine);
  let linesRead = afterLine;
  let batch: AssignedLine[] = [];
  let batched = 0;

  async function storeBatch(): Promise<void> {
    const [stored, lines] = [batch, linesRead];
    [batch, batched] = [[], 0];
    const { added, assigned } = await db.transaction().execute(async (transaction) => {
      await putImportProgress(transaction, key, lines);
      const { arriveAt } = options;
      // The stamps of the file are kept without it: they belong to the past, and to no order of writing.
      const at = arriveAt && (await beginWriting(transaction, [options.projectId], arriveAt));
      if (at === undefined) await lockWriting(transaction, [options.projectId]);
      const assigned = await assignment.renew(transaction, stored);
      const versions = assigned.flatMap((line) => line.versions);
      const labelled = await applyRules(transaction, project, versions);
      const entering = at === undefined ? labelled : labelled.map((version) => enteringAt(version, at));
      return { assigned, added: await insertMentions(transaction, entering) };
    });
    tally.count(assigned, added);
    options.onProgress?.({ linesRead, bytesRead: file.bytesRead });
  }

  const file = createReadStream(options.path, { signal: options.signal });
  const format: ImportFormat = {
    ...(options.format ?? { kind: "jsonl" }),
    afterLine,
    onUnused: tally.noteUnused,
  };
  for await (const row of readImportRows(file, format)) {
    const parsed = "reason" in row ? row : parseImportLine(preset(row.value, options));
    if ("value" in row && typeof row.value === "object" && row.value !== null)
      for (const name in row.value) if (!KNOWN_FIELDS.has(name)) tally.noteUnused([name]);
    if ("reason" in parsed) tally.skip(row.line, parsed.reason);
    else {
      const assigned = await assignment.assign(parsed);
      batch.push(assigned);
      batched += assigned.versions.length;
    }
    linesRead = row.line;
    if (batched >= BATCH || batch.length >= MOST_LINES) await storeBatch();
  }
  await storeBatch();
  await deleteImportProgress(db, key);
  const result = tally.result();
  if (result.imported > 0) await refreshMentionStatistics(db);
  return result;
}

/** Counts the lines by result. */
function createTally({ arriveAt, now }: ImportOptions) {
  const skipped: { line: number; reason: string }[] = [];
  const queries = new Map<string, { id: number; mentions: number }>();
  const unused = new Set<string>();
  const shownUntil = (arriveAt === undefined ? now : undefined) ?? Number.POSITIVE_INFINITY;
  let [imported, mentions, unmatched, skippedTotal] = [0, 0, 0, 0];
  let [sampledOut, notYetShown] = [0, 0];
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

  function countLine({ line, versions, sampledOut: leftOut }: AssignedLine): void {
    sampledOut += leftOut;
    if (versions.length === 0 && leftOut === 0) unmatched++;
    if (versions.length > 0) [from, to] = [Math.min(from, line.date), Math.max(to, line.date)];
    mentions += versions.length;
    for (const { visibleAt, record } of versions) {
      if (visibleAt > shownUntil) notYetShown++;
      const { queryName, queryId } = record;
      queries.set(queryName, { id: queryId, mentions: (queries.get(queryName)?.mentions ?? 0) + 1 });
    }
  }

  return {
    /** Lines that were stored, `added` mentions of which are new. */
    count(lines: readonly AssignedLine[], added: number): void {
      imported += added;
      for (const line of lines) countLine(line);
    },
    skip(line: number, reason: string): void {
      skippedTotal++;
      if (skipped.length < REASONS_KEPT) skipped.push({ line, reason });
    },
    noteUnused(names: readonly string[]): void {
      for (const name of names) if (unused.size < MOST_UNUSED) unused.add(name);
    },
    result(): ImportResult {
      const isEmpty = mentions === 0;
      return {
        ...{ imported, alreadyThere: mentions - imported, unmatched, sampledOut, notYetShown },
        unusedFields: [...unused],
        ...{ skipped, skippedTotal },
        from: isEmpty ? null : from,
        to: isEmpty ? null : to,
        queries,
      };
    },
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
