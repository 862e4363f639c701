import type { ApiCall } from "#monitor";
import { formatRecord, formatTable } from "./format-table.ts";

type Row = Readonly<Record<string, unknown>>;

/** Formats an answer for people: a table of records, or the fields of a single record. */
export function formatAnswer(call: ApiCall, answer: unknown, width: number): string {
  const records = call.name === "chart" ? chartRows(recordsOf(answer)) : recordsOf(answer);
  if (records !== null) {
    if (records.length === 0) return "nothing found";
    const rows = records.map(asRow);
    return formatTable(rows, call.name === "chart" ? chartColumns(rows) : call.columns, width);
  }
  return formatRecord(asRow(answer), width);
}

/** The records of a list answer, with or without an envelope; null if the answer is one record. */
export function recordsOf(answer: unknown): readonly unknown[] | null {
  if (Array.isArray(answer)) return answer;
  const results = isRow(answer) ? answer["results"] : undefined;
  return Array.isArray(results) ? results : null;
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asRow(value: unknown): Row {
  return isRow(value) ? value : { value };
}

/** A chart's second dimension becomes columns. Time rows arrive unordered, so they are sorted. */
function chartRows(rows: readonly unknown[] | null): readonly unknown[] | null {
  const found = rows?.map(asRow) ?? null;
  if (found === null) return null;
  const isTime = found.every((row) => /^\d{4}-\d\d-\d\dT/.test(String(row["id"])));
  const ordered = isTime ? found.toSorted((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1)) : found;
  return ordered.map((row) => {
    const values = Array.isArray(row["values"]) ? row["values"].map(asRow) : [];
    return { "": row["name"] ?? row["id"], ...Object.fromEntries(values.flatMap(cellsOf)) };
  });
}

/** One column for the value, or one for each requested aggregate. */
function cellsOf(point: Row): [string, unknown][] {
  const name = point["name"] ?? point["id"];
  const value = point["value"];
  if (!isRow(value)) return [[columnName(name), value ?? 0]];
  return Object.entries(value).map(([aggregate, one]) => [columnName(`${String(name)} ${aggregate}`), one]);
}

/** Puts the row's name first; JavaScript would put number-like keys before it. */
function chartColumns(rows: readonly Row[]): string[] {
  return ["", ...new Set(rows.flatMap((row) => Object.keys(row)).filter((name) => name !== ""))];
}

/** Columns are named by a path, in which dots and bars have a meaning. */
function columnName(name: unknown): string {
  return String(name ?? "–").replaceAll(/[.|]/g, "·");
}
