import { cutToWidth, padToWidth, textWidth } from "../text-width.ts";
import { sanitizeJson, sanitizeLine } from "./sanitize-terminal.ts";

type Row = Readonly<Record<string, unknown>>;

const WIDEST_CELL = 60;
const WIDEST_NAME = 40;
const NARROWEST_CELL = 6;
const GAP = "  ";

/**
 * Formats records as a table of at most `width` cells. A column is a field path; `a|b` is the first non-empty one.
 * Default columns: every plain field or list of any record. Columns that are empty in all records are left out.
 */
export function formatTable(
  rows: readonly Row[],
  columns: readonly string[] | undefined,
  width: number,
): string {
  const shown = (columns ?? plainFields(rows)).filter((column) =>
    rows.some((row) => cellOf(row, column) !== NOTHING),
  );
  const table = shown.map((column) => {
    // Cut first: measuring a text of a megabyte takes seconds.
    const cells = rows.map((row) => cutToWidth(cellOf(row, column), WIDEST_CELL));
    const numeric = rows.every((row) =>
      ["number", "undefined"].includes(typeof (fieldOf(row, column) ?? undefined)),
    );
    return { title: cutToWidth(titleOf(column), WIDEST_CELL), cells, numeric };
  });
  const widths = shrink(
    table.map(({ title, cells }) => Math.max(...[title, ...cells].map(textWidth))),
    width,
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, at) => pad(text, widths[at] ?? 0, table[at]?.numeric === true))
      .join(GAP)
      .trimEnd();
  const header = line(table.map(({ title }) => title));
  return [header, ...rows.map((_, row) => line(table.map(({ cells }) => cells[row] ?? "")))].join("\n");
}

/** Formats one record, a line per field. */
export function formatRecord(record: Row, width: number): string {
  const lines = flatten(record, "").map(([name, value]) => [cutToWidth(name, WIDEST_NAME), value] as const);
  const nameWidth = Math.max(0, ...lines.map(([name]) => textWidth(name)));
  return lines
    .map(([name, value]) =>
      `${pad(name, nameWidth, false)}${GAP}${cutToWidth(value, Math.max(20, width - nameWidth - GAP.length))}`.trimEnd(),
    )
    .join("\n");
}

function flatten(record: Row, prefix: string): [string, string][] {
  return Object.entries(record).flatMap(([name, value]): [string, string][] => {
    const path = sanitizeLine(`${prefix}${name}`);
    const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
    return isRecord && prefix.length < 100 ? flatten(value as Row, `${path}.`) : [[path, format(value)]];
  });
}

const NOTHING = "–";

function cellOf(row: Row, column: string): string {
  return format(fieldOf(row, column));
}

function fieldOf(row: Row, column: string): unknown {
  for (const path of column.split("|")) {
    let found: unknown = row;
    for (const name of path.split(".")) {
      const isRecord = typeof found === "object" && found !== null && Object.hasOwn(found, name);
      found = isRecord ? (found as Row)[name] : undefined;
    }
    if (found !== undefined && found !== null && found !== "") return found;
  }
  return undefined;
}

function titleOf(column: string): string {
  return sanitizeLine(column.split("|")[0] ?? column).replace(/^.*\./, "");
}

function plainFields(rows: readonly Row[]): string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...names].filter((name) =>
    // A field with dots or bars in its name cannot be reached by a path.
    /[.|]/.test(name) ? false : rows.some((row) => isPlain(row[name])),
  );
}

function isPlain(value: unknown): boolean {
  return value !== undefined && (typeof value !== "object" || Array.isArray(value));
}

const WIRE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:\+0000|Z)?$/;

function format(value: unknown): string {
  if (value === null || value === undefined || value === "") return NOTHING;
  if (typeof value === "string") return sanitizeLine(value.replace(WIRE_TIME, "$1 $2")) || NOTHING;
  if (Array.isArray(value))
    return value.length === 0 ? NOTHING : value.slice(0, 50).map(formatItem).join(", ");
  return typeof value === "object" ? sanitizeLine(sanitizeJson(value)) : String(value);
}

/** A list item as its name, if it has one, and its id, which filters take. */
function formatItem(item: unknown): string {
  if (typeof item !== "object" || item === null) return format(item);
  const { name, fullName, id } = item as { readonly [field in "name" | "fullName" | "id"]?: unknown };
  const called = name ?? fullName;
  if (called === undefined || called === null) return format(id ?? item);
  return id === undefined || id === null ? format(called) : `${format(called)} (${format(id)})`;
}

/** Shrinks the widest columns until all fit, or none can shrink further. */
function shrink(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  const room = width - GAP.length * Math.max(0, widths.length - 1);
  let total = widths.reduce((sum, one) => sum + one, 0);
  while (total > room) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= NARROWEST_CELL) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    total -= 1;
  }
  return widths;
}

function pad(text: string, width: number, toTheRight: boolean): string {
  return padToWidth(cutToWidth(text, width), width, toTheRight ? "right" : "left");
}
