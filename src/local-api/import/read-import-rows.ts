import { UserError } from "../../lib/errors.ts";
import { readCsv } from "../../lib/read-csv.ts";
import { type CsvColumns, csvColumns } from "./csv-columns.ts";
import { csvLine } from "./csv-line.ts";
import type { DateManner } from "./read-date.ts";
import { readLines } from "./read-lines.ts";

/** One unchecked mention of a file, or why it is invalid. */
export type ImportRow =
  | { readonly line: number; readonly value: unknown }
  | { readonly line: number; readonly reason: string };

export interface ImportFormat {
  readonly kind: "jsonl" | "csv";
  /** For CSV: columns by field, see `csvColumns`. */
  readonly columns?: Readonly<Record<string, string>>;
  readonly dates?: DateManner;
  /** Rows up to this line are not looked at. */
  readonly afterLine?: number;
  /** For CSV: called with the columns that no field takes. */
  readonly onUnused?: (columns: readonly string[]) => void;
}

const MAX_LINE = 1_048_576;

/** Rows of a file, one after the other. Throws a `UserError` when the header of a CSV file says too little. */
export function readImportRows(
  file: AsyncIterable<Uint8Array>,
  format: ImportFormat,
): AsyncGenerator<ImportRow> {
  return format.kind === "csv" ? csvRows(file, format) : jsonRows(file, format);
}

async function* jsonRows(
  file: AsyncIterable<Uint8Array>,
  { afterLine = 0 }: ImportFormat,
): AsyncGenerator<ImportRow> {
  for await (const line of readLines(file, MAX_LINE)) {
    if (line.line <= afterLine) continue;
    if ("tooLong" in line) yield { line: line.line, reason: `is longer than ${MAX_LINE} bytes` };
    else if (line.text.trim() !== "") yield { line: line.line, ...parsed(line.text) };
  }
}

function parsed(text: string): { value: unknown } | { reason: string } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { reason: "is not JSON" };
  }
}

async function* csvRows(
  file: AsyncIterable<Uint8Array>,
  { columns: mapped = {}, dates = {}, afterLine = 0, onUnused }: ImportFormat,
): AsyncGenerator<ImportRow> {
  let columns: CsvColumns | undefined;
  let width = 0;
  for await (const record of readCsv(file, { maxCharacters: MAX_LINE })) {
    if ("tooLong" in record) yield { line: record.line, reason: `is longer than ${MAX_LINE} characters` };
    else if (columns === undefined) {
      columns = csvColumns(record.cells, mapped);
      width = record.cells.length;
      const used = new Set(columns.values());
      onUnused?.(record.cells.filter((_, at) => !used.has(at)));
    } else if (record.line <= afterLine) continue;
    else if (record.cells.length > width)
      yield { line: record.line, reason: `has ${record.cells.length} cells, the header has ${width}` };
    else yield { line: record.line, value: csvLine(record.cells, columns, dates) };
  }
  if (columns === undefined)
    throw new UserError("The file has no header line with the names of its columns.");
}
