import { createHash } from "node:crypto";
import { UserError } from "../../lib/errors.ts";
import { toIso } from "../../lib/instant.ts";
import { readCsv } from "../../lib/read-csv.ts";
import { type DateManner, readDate } from "../../lib/read-date.ts";
import { type CsvColumns, csvColumns } from "./csv-columns.ts";
import { ImportLine } from "./import-line.ts";

/** One unchecked mention of a file, or why it is invalid. */
type ImportRow =
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
    else {
      // Without the mark that programs of Windows put before a file.
      const text = line.text.trim();
      if (text !== "") yield { line: line.line, ...parsed(text) };
    }
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
type Line =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly tooLong: true };

/**
 * Lines of a stream of bytes, numbered from 1, in constant memory: a line beyond `maxBytes` is marked as such and its
 * bytes are not kept. Accepts LF and CRLF; the last line need not end.
 */
async function* readLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let pending: Uint8Array[] = [];
  let size = 0;
  let line = 0;

  function finish(): Line {
    line++;
    const whole: Line = size > maxBytes ? { line, tooLong: true } : { line, text: textOf(pending) };
    pending = [];
    size = 0;
    return whole;
  }

  function keep(part: Uint8Array): void {
    size += part.byteLength;
    if (size <= maxBytes) pending.push(part);
    else pending = [];
  }

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      yield finish();
    }
    keep(chunk.subarray(start));
  }
  if (size > 0) yield finish();
}

const LF = 0x0a;

/** Most lines lie within one chunk. */
function textOf(parts: readonly Uint8Array[]): string {
  const [first] = parts;
  const whole = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
  return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString("utf8");
}

/**
 * The line of a CSV record, as JSON would have it: numbers, flags, lists and dates are read from the text. An
 * unreadable cell stays text, and the line is then reported as wrong. A record without an id gets one derived from its
 * content.
 */
function csvLine(
  cells: readonly string[],
  columns: CsvColumns,
  manner: DateManner,
): Readonly<Record<string, unknown>> {
  const line: Record<string, unknown> = {};
  for (const [field, at] of columns) {
    const text = (cells[at] ?? "").trim();
    if (text !== "" && !ABSENT.has(text.toLowerCase())) line[field] = read(field, text, manner);
  }
  // An empty text is one, too: of pictures, say.
  if (columns.has("text")) line["text"] ??= "";
  line["id"] ??= line["resourceId"] ?? idOf(cells);
  return line;
}

const ABSENT = new Set(["null", "nan", "none", "n/a", "undefined"]);
const MOMENTS = new Set(["date", "added", "updated"]);
const SHAPES: Readonly<Record<string, { safeParse(value: unknown): { success: boolean } }>> =
  ImportLine.shape;

function read(field: string, text: string, manner: DateManner): unknown {
  if (MOMENTS.has(field)) {
    const at = readDate(text, manner);
    return at === undefined ? text : toIso(at);
  }
  if (field === "sentiment") return SENTIMENT_WORDS[text.toLowerCase()] ?? text.toLowerCase();
  const shape = SHAPES[field];
  if (shape === undefined) return text;
  for (const value of readings(text)) if (shape.safeParse(value).success) return value;
  return text;
}

const SENTIMENT_WORDS: Readonly<Record<string, string>> = {
  pos: "positive",
  neg: "negative",
  neu: "neutral",
  "1": "positive",
  "-1": "negative",
  "0": "neutral",
};

/** What a text may mean, the plainest first. The shape of the field takes the first that fits. */
function* readings(text: string): Generator<unknown> {
  yield text;
  const digits = text.replaceAll(/(?<=\d),(?=\d{3}\b)/g, "");
  if (/^[+-]?\d+(\.\d+)?$/.test(digits)) yield Number(digits);
  const flag = FLAGS[text.toLowerCase()];
  if (flag !== undefined) yield flag;
  try {
    yield JSON.parse(text);
  } catch {}
  const parts = text.replace(/^[[(]|[\])]$/g, "").split(/(?<!\s)\s*[,;|]\s*/);
  yield parts.map((part) => (part === "" ? Number.NaN : Number(part)));
  yield parts.filter((part) => part !== "");
}

const FLAGS: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  yes: true,
  no: false,
  y: true,
  n: false,
  "1": true,
  "0": false,
};

function idOf(cells: readonly string[]): string {
  return createHash("md5").update(JSON.stringify(cells)).digest("hex");
}
