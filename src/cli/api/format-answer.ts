import type { ApiCall } from "./calls.ts";
import { formatRecord, formatTable } from "./format-table.ts";

type Row = Readonly<Record<string, unknown>>;

/** An answer for people: a table of its records, or the fields of the one. */
export function formatAnswer(call: ApiCall, answer: unknown, width: number): string {
  const records = call.name === "chart" ? chartRows(recordsOf(answer)) : recordsOf(answer);
  if (records !== null) {
    if (records.length === 0) return "nothing found";
    const rows = records.map(asRow);
    return formatTable(rows, call.name === "chart" ? chartColumns(rows) : call.columns, width);
  }
  return formatRecord(asRow(answer), width);
}

/** The records of a list answer, in its envelope or bare; null where the answer is one record. */
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

/** A chart has its second dimension across. Rows of time come in no order, so all are sorted by their id. */
function chartRows(rows: readonly unknown[] | null): readonly unknown[] | null {
  if (rows === null) return null;
  return rows
    .map(asRow)
    .toSorted((a, b) => String(a["id"] ?? "").localeCompare(String(b["id"] ?? ""), "en", { numeric: true }))
    .map((row) => {
      const values = Array.isArray(row["values"]) ? row["values"].map(asRow) : [];
      const across = values.map((one) => [columnName(one["name"] ?? one["id"]), one["value"] ?? 0] as const);
      return { "": row["name"] ?? row["id"], ...Object.fromEntries(across) };
    });
}

/** The row's own name first; keys that look like numbers would else come before it. */
function chartColumns(rows: readonly Row[]): string[] {
  return ["", ...new Set(rows.flatMap((row) => Object.keys(row)).filter((name) => name !== ""))];
}

/** A column is led to by a path, in which dots and bars have a meaning. */
function columnName(name: unknown): string {
  return String(name ?? "–").replaceAll(/[.|]/g, "·");
}
