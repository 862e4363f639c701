import { assignQueries, readProjectQueries, withMatchPositions } from "../assign/assign-queries.ts";
import { isInSample } from "../records/mention-id.ts";
import type { Database } from "../store/database.ts";
import { labelsRevision } from "../store/labels.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { listQueries } from "../store/queries.ts";
import { readArrivalTerms } from "../store/received-items.ts";
import type { ImportLine } from "./import-line.ts";
import { createImportTargets } from "./import-targets.ts";
import { importedMention } from "./imported-mention.ts";

/** A line, and the mentions that it becomes. */
export interface AssignedLine {
  readonly line: ImportLine;
  /** In each of its queries. None, and none sampled out: no query has it. */
  readonly versions: readonly MentionVersion[];
  /** Those that the sample of their query leaves out. */
  readonly sampledOut: number;
}

/** Turns lines into mentions of the queries that they name or match, with the tags and categories that they name. */
interface LineAssignment {
  assign(line: ImportLine): Promise<AssignedLine>;
  /**
   * Inside a transaction that has begun to write: the same lines, or assigned again if somebody made, changed or deleted
   * a query, a tag or a category meanwhile. A long import would otherwise miss new queries, and fail at deleted ones.
   */
  renew(transaction: Database, lines: readonly AssignedLine[]): Promise<readonly AssignedLine[]>;
}

export function createLineAssignment(db: Database, projectId: number): LineAssignment {
  let current: Definitions | undefined;

  async function read(from: Database) {
    // First: what changes while the rest is read shows as another revision.
    const revision = await revisionOf(from, projectId);
    const stored = await listQueries(from, projectId);
    return {
      revision,
      queries: await readProjectQueries(from, projectId),
      percentages: new Map(stored.map(({ id, samplePercentage }) => [id, samplePercentage])),
      targets: createImportTargets(from, projectId),
    };
  }

  async function assign(line: ImportLine): Promise<AssignedLine> {
    current ??= await read(db);
    const { targets, queries, percentages } = current;
    const labels = await targets.labelsOf(line);
    const { brand } = line;
    const found = brand
      ? [withMatchPositions(importedMention(line, await targets.queryOf(brand, line.date), labels), queries)]
      : assignQueries(importedMention(line, { id: 0, name: "" }, labels), queries);
    const versions = found.filter(({ record }) =>
      isInSample(record.resourceId, percentages.get(record.queryId) ?? 100),
    );
    return { line, versions, sampledOut: found.length - versions.length };
  }

  return {
    assign,
    async renew(transaction, lines) {
      if ((await revisionOf(transaction, projectId)) === current?.revision) return lines;
      current = await read(transaction);
      const renewed: AssignedLine[] = [];
      for (const { line } of lines) renewed.push(await assign(line));
      // With what the lines themselves made, if it was missing. What follows is made outside of this transaction.
      const revision = await revisionOf(transaction, projectId);
      current = { ...current, revision, targets: createImportTargets(db, projectId) };
      return renewed;
    },
  };
}

type Definitions = {
  readonly revision: string;
  readonly queries: Awaited<ReturnType<typeof readProjectQueries>>;
  readonly percentages: ReadonlyMap<number, number>;
  readonly targets: ReturnType<typeof createImportTargets>;
};

async function revisionOf(db: Database, projectId: number): Promise<string> {
  return `${(await readArrivalTerms(db, projectId)).revision} ${await labelsRevision(db, projectId)}`;
}
