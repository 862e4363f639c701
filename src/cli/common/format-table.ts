import { cleanLine } from "#monitor";
import { cutToWidth, padToWidth, textWidth } from "./text-width.ts";

export type Row = Readonly<Record<string, unknown>>;

const WIDEST_CELL = 60;
const NOTHING = "–";

/**
 * Formats records as a table. A column is the path of a field; `a|b` is the first of them that is not empty. Columns
 * that are empty in all records are left out. Commands import this file only when they print: see `text-width.ts`.
 */
export function formatTable(rows: readonly Row[], columns: readonly string[] = plainFields(rows)): string {
  const shown = columns
    .map((column) => ({ title: titleOf(column), values: rows.map((row) => fieldOf(row, column)) }))
    .filter(({ values }) => values.some((value) => formatCell(value) !== NOTHING))
    .map(({ title, values }) => {
      // Cut first: measuring a text of a megabyte takes seconds.
      const cells = [title, ...values.map(formatCell)].map((cell) => cutToWidth(cell, WIDEST_CELL));
      const width = Math.max(...cells.map(textWidth));
      const isNumeric = values.every((value) => value === undefined || typeof value === "number");
      return cells.map((cell) => padToWidth(cell, width, isNumeric ? "right" : "left"));
    });
  return ["", ...rows]
    .map((_, line) =>
      shown
        .map((cells) => cells[line])
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** The value at the path of a column, `undefined` where it is empty. */
export function fieldOf(row: Row, column: string): unknown {
  for (const path of column.split("|")) {
    let found: unknown = row;
    for (const name of path.split("."))
      found = isRow(found) && Object.hasOwn(found, name) ? found[name] : undefined;
    if (found !== undefined && found !== null && found !== "") return found;
  }
  return undefined;
}

export function titleOf(column: string): string {
  return cleanLine(column.split("|")[0] ?? column).replace(/^.*\./, "");
}

/** Every field of any record that is no object. */
export function plainFields(rows: readonly Row[]): string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  // A field with dots or bars in its name cannot be reached by a path.
  return [...names].filter(
    (name) => !/[.|]/.test(name) && rows.some((row) => row[name] !== undefined && !isRow(row[name])),
  );
}

export function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const WIRE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(?:\+0000|Z)?$/;

/** More items of a list than a cell of a table has room for. */
const MOST_ITEMS = 50;

function formatCell(value: unknown): string {
  return cellText(Array.isArray(value) ? value.slice(0, MOST_ITEMS) : value) || NOTHING;
}

/**
 * A value on one line; empty if there is none. What strangers wrote cannot move the cursor, set colours or change the
 * reading direction.
 */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return cleanLine(value.replace(WIRE_TIME, "$1 $2"));
  if (Array.isArray(value)) return value.map(formatItem).join(", ");
  return typeof value === "object" ? cleanLine(JSON.stringify(value)) : String(value);
}

/** A list item as its name, if it has one, and its id, which filters take. */
function formatItem(item: unknown): string {
  if (!isRow(item)) return formatCell(item);
  const name = item["name"] ?? item["fullName"];
  const id = item["id"];
  if (name === undefined || name === null) return formatCell(id ?? item);
  return id === undefined || id === null ? formatCell(name) : `${formatCell(name)} (${formatCell(id)})`;
}
