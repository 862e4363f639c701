import { createHash } from "node:crypto";
import { toIso } from "../../lib/instant.ts";
import type { CsvColumns } from "./csv-columns.ts";
import { ImportLine } from "./import-line.ts";
import { type DateManner, readDate } from "./read-date.ts";

/**
 * The line of a CSV record, as JSON would have it: numbers, flags, lists and dates are read from the text. An
 * unreadable cell stays text, and the line is then reported as wrong. A record without an id gets one derived from its
 * content.
 */
export function csvLine(
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
  yield parts.map(Number);
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
