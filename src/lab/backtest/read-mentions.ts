import { createReadStream } from "node:fs";
import { extname } from "node:path";
import {
  type ImportedLabels,
  type ImportLine,
  importedMention,
  parseImportLine,
  readImportRows,
} from "#listening-api";
import { type Mention, type Query, toMention } from "#monitor";
import { UserError, whyUnread } from "../../lib/errors.ts";

/** The mentions of a file, as the monitor would have read them from a Listening API that holds the file. */
interface ReadMentions {
  /** One for each brand of the file. */
  readonly queries: readonly Query[];
  /** In the order in which they arrived, each once. */
  readonly mentions: readonly Mention[];
  readonly skipped: readonly { readonly line: number; readonly reason: string }[];
  /** Lines that name no brand. */
  readonly withoutBrand: number;
}

interface ReadMentionsOptions {
  /** JSON Lines, or CSV if it ends in .csv. */
  readonly file: string;
  readonly onLines?: (lines: number) => void;
  readonly signal?: AbortSignal;
}

const PROJECT = { projectId: "1", projectName: "File", timezone: "UTC" };
const REPORTED_EVERY = 10_000;

/**
 * Reads a file of past mentions into memory, about 1 kB for each. The local Listening API and the source client turn
 * its lines into mentions, so rules see the same as in a replay of the file.
 */
export async function readMentions({ file, onLines, signal }: ReadMentionsOptions): Promise<ReadMentions> {
  const queries = new Map<string, Query>();
  const mentions = new Map<string, Mention>();
  const skipped: { line: number; reason: string }[] = [];
  const labels = createLabels();
  let withoutBrand = 0;
  const kind = extname(file).toLowerCase() === ".csv" ? "csv" : "jsonl";
  const bytes = createReadStream(file, signal === undefined ? {} : { signal });
  try {
    for await (const row of readImportRows(bytes, { kind })) {
      if (row.line % REPORTED_EVERY === 0) onLines?.(row.line);
      const line = "reason" in row ? row : parseImportLine(row.value);
      if ("reason" in line) {
        skipped.push({ line: row.line, reason: line.reason });
        continue;
      }
      if (!line.brand) {
        withoutBrand++;
        continue;
      }
      const query = queries.get(line.brand) ?? {
        ...PROJECT,
        queryId: String(queries.size + 1),
        name: line.brand,
      };
      queries.set(line.brand, query);
      const record = importedMention(
        line,
        { id: Number(query.queryId), name: query.name },
        labels(line),
      ).record;
      const { mention, rejection } = toMention(record);
      if (mention === null) {
        skipped.push({ line: row.line, reason: rejection.reason });
        continue;
      }
      const key = `${mention.queryId} ${mention.resourceId}`;
      if (!mentions.has(key)) mentions.set(key, mention);
    }
  } catch (error) {
    if (error instanceof UserError || signal?.aborted === true) throw error;
    throw new UserError(`the file ${file} cannot be read: ${whyUnread(error)}`);
  }
  return {
    queries: [...queries.values()],
    mentions: [...mentions.values()].sort((a, b) => a.addedAt - b.addedAt),
    skipped,
    withoutBrand,
  };
}

/** Categories and tags of the file, numbered as they come. */
function createLabels(): (line: ImportLine) => ImportedLabels {
  const ids = new Map<string, number>();
  const idOf = (...names: string[]): number => {
    const name = JSON.stringify(names);
    const id = ids.get(name) ?? ids.size + 1;
    ids.set(name, id);
    return id;
  };
  return ({ negativeReason, categoryDetails, tags }) => {
    const named = [...(categoryDetails ?? [])];
    if (negativeReason) named.push({ parentName: NEGATIVE_REASON, name: negativeReason });
    const categories = named.map(({ parentName, name }) => ({
      id: String(idOf("category", parentName, name)),
      name,
      parentId: String(idOf("parent", parentName)),
      parentName,
    }));
    return {
      categories: [...new Map(categories.map((one) => [one.id, one])).values()],
      tags: [...new Set(tags ?? [])].map((name) => ({ id: idOf("tag", name), name })),
    };
  };
}

/** The parent of the reasons of negative mentions, as an import names it. */
const NEGATIVE_REASON = "Negative reason";
